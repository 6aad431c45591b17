import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import type { CodeIndex, CodeQuery } from '../code-index.ts';
import { grep, openSources, type Source, type Sources } from '../contract/sources.ts';
import { openLocalCodeIndex } from './local-index.ts';

describe('blobs too large for a segment', () => {
  let sources: Sources;
  let source: Source;
  let index: CodeIndex;
  let dir: string;
  // over several pieces of a scan, with matches at both sides of every multiple of a few lines
  const large = Array.from({ length: 200_000 }, (_, n) =>
    n % 997 < 3 || n % 4001 === 5 ? `line ${n} Nadel` : `line ${n} hay`,
  ).join('\n');

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-index-'));
    index = await openLocalCodeIndex({ dir, log: createLog('silent'), maxBlobBytes: 10_000 });
    sources = await openSources();
    source = await sources.make('project:1');
    await source.save({
      'b large': large,
      'a small': 'nadel\n',
      'c small': 'nadel\n',
      'd binary': Buffer.concat([Buffer.from('\0'), Buffer.alloc(20_000, 'nadel\n')]),
    });
    await index.update('project:1', source.state());
  });
  after(async () => {
    await index.close();
    await rm(dir, { recursive: true, force: true });
    await sources[Symbol.asyncDispose]();
  });

  const ask = (text: string, more: Partial<CodeQuery> = {}) =>
    index.search({
      corpora: ['project:1'],
      part: 'contents',
      pattern: { kind: 'literal', text, caseSensitive: false },
      filters: [],
      limit: 100_000,
      ...more,
    });

  it('are searched in git, with the hits that git grep has, in their place among the others', async () => {
    for (const text of ['nadel', 'line 150000', 'nowhere', 'line 1']) {
      const { hits, truncated } = await ask(text);
      const found = hits.map(({ path, startLine, data }) => ({ path, startLine, data }));
      assert.deepEqual(found, await grep(source, text), text);
      assert.equal(truncated, false);
    }
  });

  it('end at the limit', async () => {
    const { hits, truncated } = await ask('nadel', { limit: 3 });
    assert.deepEqual(
      hits.map(({ path, startLine }) => `${path}:${startLine}`),
      ['a small:1', 'b large:1', 'b large:996'],
    );
    assert.equal(truncated, true);
  });

  it('are found by name, and left out by filters', async () => {
    const { hits } = await ask('large', { part: 'names' });
    assert.deepEqual(
      hits.map(({ data }) => data),
      [large.slice(0, 1024)],
    );
    const filters = [{ kind: 'path', pattern: 'small', negated: false }] as const;
    assert.deepEqual((await ask('nadel', { filters })).hits.length, 2);
  });

  it('go with their file', async () => {
    await source.work.git('rm', '-q', 'b large');
    await source.commitIndex();
    await index.update('project:1', source.state());
    assert.equal((await ask('line 150000')).hits.length, 0);
  });
});
