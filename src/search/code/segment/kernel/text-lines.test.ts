import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomNumbers } from '../testing.ts';
import { needleOf } from './needle.ts';
import { linesWith } from './text-lines.ts';

const random = randomNumbers(5);

function found(text: Buffer, needle: string, ignoreCase = false): [line: number, start: number][] {
  const { lines, starts } = linesWith(needleOf(Buffer.from(needle), ignoreCase), text);
  return lines.map((line, row) => [line, starts[row]!]);
}

/** The same, one line after the other. */
function expected(text: Buffer, needle: string, ignoreCase = false): [line: number, start: number][] {
  const fold = (s: string) => (ignoreCase ? s.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : s);
  const wanted = fold(Buffer.from(needle).toString('latin1'));
  const rows: [number, number][] = [];
  let start = 0;
  for (const [line, content] of text.toString('latin1').split('\n').entries()) {
    if (fold(content).includes(wanted)) rows.push([line, start]);
    start += content.length + 1;
  }
  return rows;
}

/** Of few letters, so that much of it is nearly what is looked for. */
const randomText = (length: number, letters: string) =>
  Buffer.from(Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join(''));

describe('the lines that hold a text', () => {
  it('are those that a look at each line finds, for texts and needles of any length', () => {
    let hits = 0;
    for (let round = 0; round < 3000; round++) {
      const text = randomText(Math.floor(random() * 200), 'aAbBc\n');
      const at = Math.floor(random() * text.length);
      const cut = text.toString('latin1', at, at + 1 + Math.floor(random() * 20)).split('\n')[0];
      const needle =
        round % 2 === 0 && cut ? cut : randomText(1 + Math.floor(random() * 4), 'aAbc').toString();
      for (const ignoreCase of [false, true]) {
        const rows = found(text, needle, ignoreCase);
        assert.deepEqual(rows, expected(text, needle, ignoreCase), JSON.stringify([`${text}`, needle]));
        hits += rows.length;
      }
    }
    assert.ok(hits > 5000, `${hits}`);
  });

  it('are told apart by what is no letter, and by bytes beyond ASCII', () => {
    // With the bit that tells capitals apart each of these is another one.
    for (const pair of ['@`', '[{', '\\|', ']}', '^~', '\x00\x20', '\x10\x30', 'Zz']) {
      const [here, other] = [...pair];
      const text = Buffer.from(`x${here}y\nx${other}y\n`);
      assert.equal(found(text, `x${here}y`, true).length, here === 'Z' ? 2 : 1, pair);
    }
    const text = Buffer.from('größe\nGRÖSSE\nгод\n');
    assert.deepEqual(found(text, 'größe'), [[0, 0]]);
    assert.deepEqual(found(text, 'год'), [[2, 16]]);
    assert.deepEqual(found(Buffer.from([0xe1, 0x41, 10, 0x41]), 'a', true), [
      [0, 0],
      [1, 3],
    ]);
  });

  it('are found at both ends, and not beyond', () => {
    for (let length = 1; length < 70; length++) {
      const text = Buffer.from(`needle${'.'.repeat(length)}needle`);
      assert.deepEqual(found(text, 'needle'), [[0, 0]]);
      assert.deepEqual(found(text.subarray(1), 'needle'), [[0, 0]]);
      assert.deepEqual(found(text.subarray(1, -1), 'needle'), []);
    }
    // What was there before is not looked at.
    assert.deepEqual(found(Buffer.from('hidden'), 'hidden'), [[0, 0]]);
    assert.deepEqual(found(Buffer.from('hid'), 'hidden'), []);
    assert.deepEqual(found(Buffer.from('hid'), 'den'), []);
  });

  it('may be very many, or very long', () => {
    const many = Buffer.from('x\n'.repeat(20_000));
    assert.equal(found(many, 'x').length, 20_000);
    assert.deepEqual(found(many, 'x').at(-1), [19_999, 39_998]);
    const long = Buffer.from(`a\n${'b'.repeat(3_000_000)}c\nc`);
    assert.deepEqual(found(long, 'bc'), [[1, 2]]);
    assert.deepEqual(found(long, 'c'), [
      [1, 2],
      [2, 3_000_004],
    ]);
    const needle = 'n'.repeat(60_000);
    assert.deepEqual(found(Buffer.from(`\n${needle}`), needle), [[1, 1]]);
  });

  it('are none of an empty text', () => {
    assert.deepEqual(found(Buffer.alloc(0), 'x'), []);
  });
});
