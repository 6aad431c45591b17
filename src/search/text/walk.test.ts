import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textQuery } from './terms.ts';
import { countMatches, findMatches, type Narrowed, type Step, type Walk } from './walk.ts';

interface Row {
  id: number;
  text: string;
}

/** Rows in memory, newest first, with an index that takes for possible what the test says. */
function walkThrough(
  texts: string[],
  { narrows = 'from index' as Narrowed, possible = (_: Row): boolean => true } = {},
) {
  const rows = texts.map((text, at) => ({ id: texts.length - at, text }));
  const steps: Step[] = [];
  const walk: Walk<Row> = {
    read: async (step) => {
      steps.push(step);
      const behind = rows.filter(({ id }) => step.after === null || id < step.after.id);
      const likely = step.narrowed !== 'not' ? behind.filter(possible) : behind;
      return likely.slice(step.offset, step.offset + step.limit);
    },
    narrows: async () => narrows,
    textsOf: ({ text }) => [text],
    positionOf: ({ id }) => ({ value: id, id }),
  };
  return { walk, steps };
}

const query = textQuery('rare');
const common = Array.from({ length: 1000 }, (_, at) => (at % 2 === 0 ? 'rare' : 'other'));
const sparse = Array.from({ length: 1000 }, (_, at) => (at === 900 ? 'rare' : 'other'));

describe('findMatches', () => {
  it('reads what is common in order and stops when the page is full', async () => {
    const { walk, steps } = walkThrough(common);
    const { rows, more } = await findMatches(walk, query, { skip: 0, take: 20 });
    assert.deepEqual(
      rows.map(({ id }) => id),
      Array.from({ length: 20 }, (_, at) => 1000 - 2 * at),
    );
    assert.ok(more);
    assert.deepEqual(
      steps.map(({ narrowed }) => narrowed),
      ['not'],
    );
  });

  it('asks the index for the rest when the first rows show that it is rare', async () => {
    const { walk, steps } = walkThrough(sparse, { possible: ({ text }) => text === 'rare' });
    const { rows, more } = await findMatches(walk, query, { skip: 0, take: 20 });
    assert.deepEqual([rows.map(({ id }) => id), more], [[100], false]);
    assert.deepEqual(
      steps.map(({ narrowed }) => narrowed),
      ['not', 'from index'],
    );
  });

  it('compares what the index takes for possible', async () => {
    const { walk } = walkThrough([...sparse, 'rarely', 'bare'], { possible: ({ text }) => text !== 'other' });
    const { rows } = await findMatches(walk, query, { skip: 0, take: 20 });
    assert.deepEqual(
      rows.map(({ text }) => text),
      ['rare', 'rarely'],
    );
  });

  it('goes on in order where the index would name too many', async () => {
    const { walk, steps } = walkThrough(sparse, { narrows: 'not' });
    const { rows } = await findMatches(walk, query, { skip: 0, take: 20 });
    assert.deepEqual(
      rows.map(({ id }) => id),
      [100],
    );
    assert.ok(steps.every(({ narrowed }) => narrowed === 'not'));
  });

  it('skips matches, not rows, and goes on behind a position', async () => {
    const { walk } = walkThrough(common);
    const { rows } = await findMatches(walk, query, { skip: 100, take: 2 });
    assert.deepEqual(
      rows.map(({ id }) => id),
      [800, 798],
    );
    const after = walk.positionOf(rows[1]!);
    const next = await findMatches(walk, query, { skip: 0, take: 2, after });
    assert.deepEqual(
      next.rows.map(({ id }) => id),
      [796, 794],
    );
  });

  it('leaves the counting of pages to the database where nothing was asked for', async () => {
    const { walk, steps } = walkThrough(sparse);
    const { rows, more } = await findMatches(walk, textQuery(''), { skip: 990, take: 10 });
    assert.deepEqual([rows.length, more, steps.length], [10, false, 1]);
  });

  it('reads few large rows at once', async () => {
    const { walk, steps } = walkThrough(
      Array.from({ length: 100 }, () => 'x'.repeat(100_000)),
      { narrows: 'not' },
    );
    await findMatches(walk, query, { skip: 0, take: 1 });
    assert.deepEqual(
      steps.map(({ limit }) => limit),
      [64, 10, 10, 10, 10],
    );
  });
});

it('counts matches up to a bound', async () => {
  assert.equal(await countMatches(walkThrough(common).walk, query, 1000), 500);
  assert.equal(await countMatches(walkThrough(common).walk, query, 120), 120);
});
