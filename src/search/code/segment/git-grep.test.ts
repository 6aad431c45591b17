import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CodePattern } from '../code-index.ts';
import { decodeText } from '../decode-text.ts';
import type { Stretch } from './match/stretches.ts';
import { assertSameHits, literal, regex, scanAll, searchAll, TestSegments } from './testing.ts';

const SOURCES = join(import.meta.dirname, '../../..');

/** The sources of Ingot, and some files that are less tidy. */
const blobs = [
  ...readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') || path.endsWith('.sql'))
    .map((path) => readFileSync(join(SOURCES, path))),
  Buffer.from('Export const\r\n\r\nReturn\r\n'),
  Buffer.from('no newline at the end: import'),
  Buffer.from('Привет, МИР\nпривет\n\n\n\n\n\nПРИВЕТ\nнет\n'),
  Buffer.from('naïve, Größe: import\n', 'latin1'),
  Buffer.from(''),
];

/** What git finds in files that are named by their number. */
function gitGrep(folder: string, { text, caseSensitive }: CodePattern & { kind: 'literal' }) {
  const flags = ['--no-index', '-n', '-I', '-F', '-C2', '--full-name', ...(caseSensitive ? [] : ['-i'])];
  const result = spawnSync('git', ['grep', ...flags, '-e', text], {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    maxBuffer: 256 * 1024 * 1024,
  });
  assert.ok(result.status === 0 || result.status === 1, result.stderr?.toString());
  return parseGrep(result.stdout);
}

function parseGrep(output: Buffer): Map<number, Stretch[]> {
  const found = new Map<number, Stretch[]>();
  let next = '';
  for (const line of decodeText(output).split('\n').slice(0, -1)) {
    const parts = /^(\d+)[:-](\d+)[:-](.*)$/s.exec(line);
    if (parts === null) continue;
    const [file, number, text] = [Number(parts[1]), Number(parts[2]), parts[3]!];
    const stretches = found.get(file) ?? [];
    found.set(file, stretches);
    if (next !== `${file} ${number}`) stretches.push({ startLine: number, data: '' });
    stretches.at(-1)!.data += `${text}\n`;
    next = `${file} ${number + 1}`;
  }
  return found;
}

describe('on real sources', () => {
  const segments = new TestSegments();
  const folder = mkdtempSync(join(tmpdir(), 'ingot-grep-'));
  before(() => {
    for (const [i, bytes] of blobs.entries()) writeFileSync(join(folder, String(i)), bytes);
  });
  after(() => {
    segments[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });
  const segment = segments.build(blobs);

  it('a literal is found where git grep finds it, with the same lines around it', () => {
    const texts = [
      'import',
      'return',
      'RETURN',
      'readonly #',
      '(error',
      "'};",
      '=> {',
      '*/',
      'zzzz',
      'e',
      ';',
    ];
    const sensitive = ['Export', 'Buffer', 'Größe', 'МИР', 'é'];
    const patterns = [
      ...texts.map((text) => ({ kind: 'literal', text, caseSensitive: false }) as const),
      ...['привет', 'Мир', 'НЕТ'].map((text) => ({ kind: 'literal', text, caseSensitive: false }) as const),
      ...sensitive.map((text) => ({ kind: 'literal', text, caseSensitive: true }) as const),
    ];
    for (const pattern of patterns) {
      const found = searchAll(segment, pattern);
      // Git compares bytes, and does not find what a file in another encoding means.
      if (pattern.text === 'Größe') found.delete(blobs.length - 2);
      assertSameHits(found, gitGrep(folder, pattern), pattern);
    }
  });

  it('a regular expression is found where JavaScript finds it line by line', () => {
    const sources = [
      '^import .* from',
      'function \\w+\\(',
      '[A-Z]\\w+Error',
      '(get|set)[A-Z]',
      '\\breturn\\b.*;$',
      '^\\s*$',
      'привет|мир',
      '\\d{3,}',
      '\\.test\\(.*\\)',
    ];
    for (const source of sources) {
      const pattern = regex(source);
      assertSameHits(searchAll(segment, pattern), scanAll(blobs, pattern), pattern);
    }
  });

  it('nothing is found that is nowhere', () => {
    const nowhere = ['not', 'to', 'be', 'found'].join('-_-');
    assert.equal(searchAll(segment, literal(nowhere)).size, 0);
  });
});
