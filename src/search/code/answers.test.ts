import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLog } from '../../platform/log.ts';
import type { CodeHit, CodeIndex, CodePattern, PathFilter } from './code-index.ts';
import { scan } from './git/scan.ts';
import { openLocalCodeIndex } from './local/local-index.ts';
import { type Expected, gitGrep, gitText } from './testing/git-grep.ts';

const home = fileURLToPath(new URL('.', import.meta.url));
const inRepository = (...args: string[]) => execFileSync('git', args, { cwd: home, encoding: 'utf8' }).trim();
const SEED = 20_240_601;
const QUERIES = 110;
/** Git reads files where the index knows: it is asked more rarely. */
const BY_GIT_EACH = 6;

/** Mulberry32: small, and the same numbers on every machine. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('answers about the tree of this very repository', () => {
  let repository: string;
  let commit: string;
  let dir: string;
  let index: CodeIndex;
  let lines: string[];
  const next = random(SEED);
  const upTo = (limit: number) => Math.floor(next() * limit);

  before(async () => {
    repository = inRepository('rev-parse', '--path-format=absolute', '--git-common-dir');
    commit = inRepository('rev-parse', 'HEAD');
    dir = await mkdtemp(join(tmpdir(), 'ingot-answers-'));
    index = await openLocalCodeIndex({ dir: join(dir, 'index'), log: createLog('silent') });
    await index.update('project:1', { repository, commit });
    const all = await gitText(repository, ['grep', '-h', '-I', '-e', '', commit, '--']);
    lines = all.split('\n').filter((line) => line.trim() !== '');
  });
  after(async () => {
    await index.close();
    await rm(dir, { recursive: true, force: true });
  });

  interface Asked {
    pattern: CodePattern;
    part?: 'names' | 'contents';
    filters?: PathFilter[];
    limit?: number;
  }

  const queryOf = ({ pattern, part = 'contents', filters = [], limit = 1_000_000 }: Asked) => ({
    part,
    pattern,
    filters,
    limit,
  });

  async function byIndex(asked: Asked): Promise<CodeHit[]> {
    return (await index.search({ ...queryOf(asked), corpora: ['project:1'] })).hits;
  }

  async function both(asked: Asked): Promise<CodeHit[]> {
    const place = { repository, commit, corpus: 'project:1' as const };
    const byGit = await scan({ ...queryOf(asked), ...place }, AbortSignal.timeout(60_000));
    assert.deepEqual(await byIndex(asked), byGit, `index and git differ for ${JSON.stringify(asked)}`);
    return byGit;
  }

  const stretches = (hits: CodeHit[]): Expected[] =>
    hits.map(({ path, startLine, data }) => ({ path, startLine, data }));

  /** A piece of some line, its letters in any case. */
  function piece(): string {
    const line = lines[upTo(lines.length)]!;
    const from = upTo(line.length);
    const some = line.slice(from, from + 6 + upTo(24));
    return next() < 0.3 ? [...some].map((char) => (next() < 0.5 ? char.toUpperCase() : char)).join('') : some;
  }

  it(`are those of git grep, for ${QUERIES} random pieces of its lines`, async () => {
    for (let count = 0; count < QUERIES; count++) {
      const text = piece();
      const caseSensitive = next() < 0.2;
      const pattern = { kind: 'literal', text, caseSensitive } as const;
      const hits = count % BY_GIT_EACH === 0 ? await both({ pattern }) : await byIndex({ pattern });
      const expected = await gitGrep(repository, commit, text, { caseSensitive });
      assert.deepEqual(stretches(hits), expected, JSON.stringify(text));
    }
  });

  it('are nothing for what is nowhere', async () => {
    const text = `zq${['x', 'j', 'q'].join('')}vvw`;
    assert.deepEqual(await both({ pattern: { kind: 'literal', text, caseSensitive: false } }), []);
  });

  it('are the first ones where there is a limit', async () => {
    const pattern = { kind: 'literal', text: 'import', caseSensitive: false } as const;
    const all = await both({ pattern });
    for (const limit of [1, 7, 100]) assert.deepEqual(await both({ pattern, limit }), all.slice(0, limit));
  });

  it('are those in files that the filters let through', async () => {
    const pattern = { kind: 'literal', text: 'export', caseSensitive: false } as const;
    const all = await both({ pattern });
    const filters: [PathFilter, RegExp, boolean][] = [
      [{ kind: 'extension', pattern: 'ts', negated: false }, /\.ts$/i, true],
      [{ kind: 'extension', pattern: 'ts', negated: true }, /\.ts$/i, false],
      [{ kind: 'filename', pattern: '*store.ts', negated: false }, /store\.ts$/i, true],
      [{ kind: 'path', pattern: 'src/g*t/', negated: false }, /src\/g.*t\//i, true],
    ];
    for (const [filter, expression, wanted] of filters) {
      const expected = all.filter(({ path }) => expression.test(path) === wanted);
      assert.deepEqual(await both({ pattern, filters: [filter] }), expected, JSON.stringify(filter));
    }
  });

  it('are by name all paths that hold the text', async () => {
    const listed = await gitText(repository, ['ls-tree', '-r', '--name-only', commit]);
    for (const text of ['STORE', 'src/git', 'package.json', 'e.test.t']) {
      const hits = await both({ part: 'names', pattern: { kind: 'literal', text, caseSensitive: false } });
      const expected = listed.split('\n').filter((path) => path.toLowerCase().includes(text.toLowerCase()));
      assert.deepEqual(
        hits.map(({ path }) => path),
        expected,
      );
    }
  });

  it('are for an expression the lines that JavaScript finds', async () => {
    const sources = [
      'open[A-Z]\\w+\\(',
      '^import .*;$',
      '\\bfail\\.(notFound|forbidden)',
      'é|ü|ß',
      '\\d{4,}',
      'a{2}',
    ];
    for (const source of sources) {
      const expression = new RegExp(source, 'iu');
      const hits = await both({ pattern: { kind: 'regex', source, caseSensitive: false } });
      const matching = lines.filter((line) => expression.test(line)).length;
      const found = hits.flatMap(({ data }) => data.split('\n')).filter((line) => expression.test(line));
      assert.equal(found.filter((line) => line.trim() !== '').length, matching, source);
    }
  });
});
