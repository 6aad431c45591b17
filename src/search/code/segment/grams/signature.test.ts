import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countBits } from '../bitmap.ts';
import { randomNumbers } from '../testing.ts';
import { ChunkScanner } from '../write/chunk-scanner.ts';
import { foldText } from './fold.ts';
import { fitted, mayHold, printsOf, signatureSize } from './signature.ts';

const random = randomNumbers(3);
const scanner = new ChunkScanner();

function signatureOf(lines: readonly string[]) {
  const classes = foldText(lines.join('\n'));
  const full = new Uint8Array(signatureSize(classes.length));
  scanner.scan(classes, classes.length, full);
  return { full, ...fitted(full) };
}

const randomLines = (count: number) =>
  Array.from({ length: count }, () =>
    Array.from({ length: 30 }, () => String.fromCharCode(97 + random() * 26)).join(''),
  );

describe('the signature of a piece', () => {
  const varied = randomLines(1000);
  const repeated = randomLines(20);
  const repetitive = Array.from({ length: 1000 }, (_, n) => repeated[n % repeated.length]!);

  it('has a quarter to six tenths of its bits set, whether its text has few runs or many', () => {
    for (const distinct of [20, 40, 100, 200, 300, 400]) {
      const lines = Array.from({ length: 1000 }, (_, n) => varied[n % distinct]!);
      const { full, signature, folding } = signatureOf(lines);
      const set = countBits(
        new Uint32Array(Uint8Array.from([...signature, 0, 0, 0]).buffer, 0, signature.length >> 2),
      );
      const part = set / (signature.length * 8);
      assert.ok(part > 0.25 && part < 0.6, `${part} of ${distinct}`);
      assert.equal(signature.length, full.length / folding);
      assert.equal(signature.length, signatureSize(lines.join('\n').length, folding));
    }
  });

  it('keeps its full size where every run is another, and a few bytes where all are the same', () => {
    assert.equal(signatureOf(varied).folding, 1);
    assert.equal(signatureOf(Array.from({ length: 1000 }, () => 'a'.repeat(60))).folding, 24);
    assert.equal(signatureOf(['ab']).folding, 24);
  });

  it('allows all that the piece holds, however much it was folded', () => {
    for (const lines of [varied, repetitive, randomLines(1), ['ab']]) {
      const { signature } = signatureOf(lines);
      for (const line of lines) assert.ok(mayHold(signature, printsOf(foldText(line))), line);
    }
  });

  it('rules out most else, even of letters at random, of which hardly a run comes twice', () => {
    for (const lines of [varied, repetitive]) {
      const { signature } = signatureOf(lines);
      const allowed = randomLines(500).filter((line) => mayHold(signature, printsOf(foldText(line))));
      assert.ok(allowed.length < 50, `${allowed.length} of 500`);
    }
  });
});
