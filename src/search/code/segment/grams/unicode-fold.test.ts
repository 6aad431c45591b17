import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rangesOfCharacter, rangesOfClass } from './code-points.ts';
import { foldText } from './fold.ts';
import { canonical, casedLetters } from './unicode-fold.ts';

const letters = casedLetters();

describe('folding', () => {
  it('gives all letters that JavaScript takes for alike the same classes', () => {
    const text = letters.join('');
    let pairs = 0;
    for (const letter of letters) {
      for (const [like] of text.matchAll(new RegExp(letter, 'giu'))) {
        assert.equal(canonical(like), canonical(letter), `${letter} and ${like}`);
        assert.deepEqual(foldText(like), foldText(letter), `${letter} and ${like}`);
        if (like !== letter) pairs++;
      }
    }
    assert.ok(pairs > 2800, `${pairs} pairs`);
  });

  it('knows of every letter that has a case', () => {
    const alphabets = rangesOfClass('[\\p{Cased}\\p{Changes_When_Casefolded}]', 'u', 'unicode');
    assert.deepEqual(
      alphabets.filter(([, to]) => to >= 0x20000),
      [],
    );
    const cased = new Set(letters);
    for (let codePoint = 0; codePoint < 0x20000; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      const char = String.fromCodePoint(codePoint);
      if (!cased.has(char)) assert.equal(canonical(char), char);
    }
  });

  it('leaves ASCII as many classes as it has characters, cases and controls aside', () => {
    const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)).join('');
    assert.equal(new Set(foldText(printable)).size, 95 - 26);
    assert.equal(new Set(foldText('\t\r\0\x7f')).size, 1);
    assert.deepEqual([...foldText('\n')], [0]);
    assert.ok([...foldText(letters.join(''))].every((value) => value > 0 && value < 128));
  });
});

describe('the characters of a class', () => {
  it('are those that JavaScript says', () => {
    const some = [
      ...'aAkKsSzZ09_ \n\r\t',
      'ſ',
      '\u212a',
      'é',
      'É',
      'σ',
      'ς',
      '\u2028',
      '\ud7ff',
      '\ue000',
      '🚀',
      '\u{10ffff}',
    ];
    for (const raw of ['.', '\\w', '\\W', '\\s', '[^a-z]', '[\\p{Lu}é]', '\\P{L}', '[]', '[^]']) {
      for (const flags of ['u', 'iu'] as const) {
        const expected = new RegExp(`^(?:${raw})$`, flags);
        for (const alphabet of ['ascii', 'unicode'] as const) {
          const ranges = rangesOfClass(raw, flags, alphabet);
          for (const char of some) {
            const codePoint = char.codePointAt(0)!;
            if (alphabet === 'ascii' && codePoint > 0x7f) continue;
            const within = ranges.some(([from, to]) => from <= codePoint && codePoint <= to);
            assert.equal(within, expected.test(char), `${raw} ${flags} ${codePoint.toString(16)}`);
          }
        }
      }
    }
  });

  it('are for a letter its likes, of those that the text can hold', () => {
    const codePoints = (char: string, flags: 'u' | 'iu', alphabet: 'ascii' | 'unicode') =>
      rangesOfCharacter(char, flags, alphabet)
        .map(([from]) => String.fromCodePoint(from))
        .sort()
        .join('');
    assert.equal(codePoints('k', 'iu', 'unicode'), 'Kk\u212a');
    assert.equal(codePoints('k', 'iu', 'ascii'), 'Kk');
    assert.equal(codePoints('k', 'u', 'unicode'), 'k');
    assert.equal(codePoints('é', 'iu', 'ascii'), '');
    assert.equal(codePoints('🚀', 'iu', 'unicode'), '🚀');
  });
});
