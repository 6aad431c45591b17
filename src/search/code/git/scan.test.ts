import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Repository } from '../../../git/repository.ts';
import { openTestGit, type TestGit } from '../../../git/testing.ts';
import { createLog } from '../../../platform/log.ts';
import type { CodeIndex, CodePattern, PathFilter } from '../code-index.ts';
import { openLocalCodeIndex } from '../local/local-index.ts';
import { gitNeedle } from './git-needle.ts';
import { scan } from './scan.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
/** More lines than are held in memory at once, with something to find in the first, in the middle and in the last. */
const large = () => {
  const filler = 'nothing to see in this line\n'.repeat(200_000);
  return `large needle one\n${filler}large needle two\n${filler}large needle three`;
};

const FILES: Record<string, string | Buffer> = {
  'plain.txt': 'one\ntwo needle\nthree\nfour\nfive\nsix\nseven\neight NEEDLE\nnine\n',
  'crlf.txt': 'a\r\nneedle\r\nb\r\n',
  'no-newline.txt': 'needle at the end',
  'empty.txt': '',
  'only-newlines.txt': '\n\n\n',
  'latin1.txt': latin1('Äpfel und Größe\nneedle é\n'),
  'mixed.txt': Buffer.concat([Buffer.from('Größe in UTF-8\n'), latin1('Größe in Latin-1\n')]),
  'unicode.txt':
    'Москва\nΣίσυφος σίσυφος\n日本語の行\n👩‍💻 emoji needle\nſtraße und \u212aelvin\nİstanbul ıstanbul\n',
  'binary-early.bin': Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(1), Buffer.from('needle\n')]),
  'binary-late.txt': Buffer.concat([
    Buffer.from('needle\n'.repeat(1200)),
    Buffer.alloc(1),
    Buffer.from('needle\n'),
  ]),
  '.gitattributes': '*.c binary\n*.h -text\n',
  'attributes.c': 'needle in what attributes call binary\n',
  'a b/c:d/e"f\\g.txt': 'needle\n',
  'ünïcode/日本.md': 'needle\n',
  'A/upper.txt': 'needle\n',
  'a/lower.txt': 'needle\n',
  'a.txt': 'needle\n',
  'a-.txt': 'needle\n',
  '--option': 'needle\n',
};

const PATTERNS: CodePattern[] = [
  ...[
    'needle',
    'NEEDLE',
    'größe',
    'GRÖSSE',
    'москва',
    'ΣΊΣΥΦΟΣ',
    '日本',
    '👩‍💻',
    'straße',
    'kelvin',
    'istanbul',
  ].flatMap((text) =>
    [true, false].map((caseSensitive) => ({ kind: 'literal', text, caseSensitive }) as const),
  ),
  ...['é', 'ı', '*', '-e', '--all', '\\', 'zzz', '\0', 'a\0b', ' ', '\ud800'].map(
    (text) => ({ kind: 'literal', text, caseSensitive: false }) as const,
  ),
  ...[
    '^needle',
    'needle$',
    'n.{2}dle (one|three)',
    '^$',
    '[А-Я]+',
    '\\bkelvin\\b',
    'e\\r?$',
    '\\p{Emoji_Presentation}',
  ].map((source) => ({ kind: 'regex', source, caseSensitive: false }) as const),
];

describe('searching a tree by git', () => {
  let git: TestGit;
  let repo: Repository;
  let commit: string;
  let index: CodeIndex;

  before(async () => {
    git = await openTestGit();
    const work = await git.workTree();
    for (const [path, content] of Object.entries(FILES)) await work.write(path, content);
    await writeFile(Buffer.concat([Buffer.from(`${work.path}/caf`), latin1('é.txt')]), 'needle\n');
    await symlink('needle', join(work.path, 'link.txt'));
    commit = await work.commit('All kinds of files');
    repo = await git.import(work);
    index = await openLocalCodeIndex({ dir: `${git.folder}/index`, log: createLog('silent') });
    await index.update('project:1', { repository: repo.path, commit });
  });
  after(async () => {
    await index.close();
    await git[Symbol.asyncDispose]();
  });

  const byGit = (
    part: 'names' | 'contents',
    pattern: CodePattern,
    filters: PathFilter[] = [],
    limit = 10_000,
  ) =>
    scan(
      { repository: repo.path, commit, corpus: 'project:1', part, pattern, filters, limit },
      AbortSignal.timeout(60_000),
    );

  for (const part of ['names', 'contents'] as const) {
    it(`finds in ${part} what the index finds, in files of every kind`, async () => {
      for (const pattern of PATTERNS) {
        const query = { corpora: ['project:1'], part, pattern, filters: [], limit: 10_000 } as const;
        const { hits } = await index.search(query);
        assert.deepEqual(await byGit(part, pattern), hits, JSON.stringify(pattern));
      }
    });
  }

  it('finds what the index finds in a file that is read piece by piece', async () => {
    const work = await git.workTree();
    const big = await work.save({ 'large.txt': large() });
    const state = { repository: (await git.import(work)).path, commit: big };
    await index.update('project:2', state);
    for (const pattern of [
      { kind: 'literal', text: 'LARGE NEEDLE', caseSensitive: false },
      { kind: 'regex', source: '^large \\w+ (one|three)$', caseSensitive: false },
    ] as const) {
      const query = { part: 'contents', pattern, filters: [], limit: 10 } as const;
      const { hits } = await index.search({ ...query, corpora: ['project:2'] });
      assert.ok(hits.length >= 2);
      const found = await scan({ ...query, ...state, corpus: 'project:2' }, AbortSignal.timeout(60_000));
      assert.deepEqual(found, hits);
    }
  });

  it('goes by path in the order of bytes, and by line', async () => {
    const hits = await byGit('contents', { kind: 'literal', text: 'needle', caseSensitive: false });
    const places = hits.map(({ path, startLine }) => `${path}:${startLine}`);
    assert.deepEqual(places.slice(0, 4), ['--option:1', 'A/upper.txt:1', 'a b/c:d/e"f\\g.txt:1', 'a-.txt:1']);
    assert.deepEqual(
      places.filter((place) => place.startsWith('plain')),
      ['plain.txt:1', 'plain.txt:6'],
    );
    for (const path of ['link.txt', 'binary-early.bin', 'empty.txt']) {
      assert.ok(!places.some((place) => place.startsWith(path)), path);
    }
    for (const path of ['attributes.c', 'binary-late.txt', 'café.txt']) {
      assert.ok(
        places.some((place) => place.startsWith(path)),
        path,
      );
    }
  });

  it('ends when somebody says so', async () => {
    const pattern = { kind: 'regex', source: 'nowhere at all', caseSensitive: false } as const;
    const gone = new AbortController();
    const search = scan(
      {
        repository: repo.path,
        commit,
        corpus: 'project:1',
        part: 'contents',
        pattern,
        filters: [],
        limit: 10,
      },
      gone.signal,
    );
    gone.abort(new Error('the client has gone'));
    await assert.rejects(search, /the client has gone/);
  });
});

describe('what git is told to look for', () => {
  const needleOf = (text: string) => gitNeedle({ kind: 'literal', text, caseSensitive: false });

  it('is the text, or the longest part of it that every encoding writes alike', () => {
    assert.equal(needleOf('return -EINVAL;'), 'return -EINVAL;');
    assert.equal(needleOf('Größenordnung'), 'enordnung');
    assert.equal(needleOf('日本語'), '日本語');
  });

  it('is what no match of an expression is without', () => {
    const needle = gitNeedle({ kind: 'regex', source: '^static int \\w+_probe\\(', caseSensitive: false });
    assert.equal(needle, 'static int ');
  });

  it('is nothing where that would miss files', () => {
    for (const text of ['é', 'x', 'µ', 'μ', '\ud800', '\0'])
      assert.equal(needleOf(text), null, JSON.stringify(text));
    for (const source of ['a|b', '\\w+', '.*', '[ab]{9}', '(abc)?']) {
      assert.equal(gitNeedle({ kind: 'regex', source, caseSensitive: true }), null, source);
    }
  });

  it('is no longer than a process can be handed', () => {
    assert.equal(needleOf('x'.repeat(1_000_000))?.length, 1000);
    assert.equal(needleOf('語'.repeat(1_000_000))?.length, 1000);
  });
});
