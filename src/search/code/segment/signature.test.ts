import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChunkScanner } from './chunk-scanner.ts';
import { foldText } from './fold.ts';
import { mayHold, printsOf, signatureSize, thinned } from './signature.ts';
import { randomNumbers } from './testing.ts';

const random = randomNumbers(3);
const scanner = new ChunkScanner();

function signatureOf(lines: readonly string[]) {
  const classes = foldText(lines.join('\n'));
  const full = new Uint8Array(signatureSize(classes.length));
  scanner.scan(classes, classes.length, full);
  return { full, ...thinned(full) };
}

const randomLines = (count: number) =>
  Array.from({ length: count }, () =>
    Array.from({ length: 30 }, () => String.fromCharCode(97 + random() * 26)).join(''),
  );

describe('the signature of a chunk', () => {
  const varied = randomLines(1000);
  const repeated = randomLines(20);
  const repetitive = Array.from({ length: 1000 }, (_, n) => repeated[n % repeated.length]!);

  it('keeps its size where the text is varied, and an eighth of it where it repeats itself', () => {
    assert.equal(signatureOf(varied).halvings, 0);
    const { full, signature, halvings } = signatureOf(repetitive);
    assert.equal(halvings, 3);
    assert.equal(signature.length, full.length / 8);
    assert.equal(signature.length, signatureSize(repetitive.join('\n').length, halvings));
  });

  it('allows all that the chunk holds, however often it was halved', () => {
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
