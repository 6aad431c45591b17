import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createLog } from '../../../platform/log.ts';
import { openSources, type Source } from '../contract/sources.ts';
import { SegmentFile } from '../segment/segment-file.ts';
import { SharedSignatures, type SignatureLimits } from './shared-signatures.ts';
import { connect, readSegments, type SegmentRow, segmentPath } from './store.ts';
import { contentsQuery, TestIndex } from './testing.ts';

const ALL: SignatureLimits = { minSegmentBytes: 0 };

function rowsOf({ dir }: TestIndex): SegmentRow[] {
  const database = connect(dir, { readOnly: true });
  try {
    return readSegments(database);
  } finally {
    database.close();
  }
}

async function update({ index }: TestIndex, source: Source, files: Record<string, string>): Promise<void> {
  await source.save(files);
  await index.update(source.corpus, source.state());
}

/** What the file has. */
function signaturesOf(dir: string, { file }: SegmentRow): Buffer {
  const segment = new SegmentFile(segmentPath(dir, file));
  try {
    return segment.read('signatures', 0, segment.footer.sections.signatures.length);
  } finally {
    segment.close();
  }
}

/** As if nothing that is looked for could be in any file. */
function wipeSignatures(dir: string, row: SegmentRow): void {
  const path = segmentPath(dir, row.file);
  const bytes = readFileSync(path);
  const signatures = signaturesOf(dir, row);
  bytes.fill(0, bytes.indexOf(signatures), bytes.indexOf(signatures) + signatures.length);
  writeFileSync(path, bytes);
}

const TEXTS = { 'a.txt': 'the needle\n', 'b.txt': 'another needle\n' };

async function twoSegments(held: TestIndex): Promise<SegmentRow[]> {
  await using sources = await openSources();
  const source = await sources.make('project:1');
  await update(held, source, TEXTS);
  await update(held, source, { 'c.txt': 'a third needle\n' });
  return rowsOf(held);
}

describe('signatures that search threads share', () => {
  const log = createLog('silent');

  it('are those of the files, while threads want them', async () => {
    await using held = await TestIndex.open();
    const rows = await twoSegments(held);
    assert.equal(rows.length, 2);
    const shared = new SharedSignatures({ dir: held.dir, log, ...ALL }, rows);
    const have = async () => {
      await shared.settled();
      return new Map([...shared.held].map(([id, memory]) => [id, Buffer.from(memory)]));
    };
    const expected = new Map(rows.map((row) => [row.id, signaturesOf(held.dir, row)]));

    assert.deepEqual(await have(), new Map());
    shared.want();
    assert.deepEqual(await have(), expected);
    const { version } = shared;
    shared.follow(rows.slice(1));
    assert.deepEqual([...(await have()).keys()], [rows[1]!.id]);
    assert.notEqual(shared.version, version);
    shared.release();
    assert.deepEqual(await have(), new Map());
    shared.follow(rows);
    assert.deepEqual(await have(), new Map());
    shared.want();
    assert.deepEqual(await have(), expected);
  });

  it('are left in the file where they are few, too many, damaged or gone', async () => {
    await using held = await TestIndex.open();
    const rows = await twoSegments(held);
    const [first, second] = rows as [SegmentRow, SegmentRow];
    const heldWith = async (limits: SignatureLimits, listed = rows) => {
      const shared = new SharedSignatures({ dir: held.dir, log, ...limits }, listed);
      shared.want();
      await shared.settled();
      return [...shared.held.keys()];
    };
    assert.deepEqual(await heldWith({}), []);
    assert.deepEqual(await heldWith({ ...ALL, maxBytes: 1 }), []);
    assert.deepEqual(await heldWith({ ...ALL, maxBytes: signaturesOf(held.dir, first).length }), [first.id]);
    assert.deepEqual(await heldWith(ALL, [{ ...first, file: 'none' }, second]), [second.id]);
    const path = segmentPath(held.dir, second.file);
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    assert.deepEqual(await heldWith(ALL), [first.id]);
    rmSync(path);
    assert.deepEqual(await heldWith(ALL), [first.id]);
  });

  it('are what threads look at, and are given back when the last of them ends', async () => {
    await using sources = await openSources();
    await using held = await TestIndex.open({ signatures: ALL, largeBytes: 0, idleMs: 1_000 });
    const source = await sources.make('project:1');
    await update(held, source, TEXTS);
    const found = async (text: string, part: 'names' | 'contents' = 'contents') => {
      const { hits } = await held.index.search({ ...contentsQuery(source.corpus, text), part });
      return hits.length;
    };
    // A search for names looks at no signatures, and is answered by a thread that has begun: by then they are read.
    assert.equal(await found('a.txt', 'names'), 1);
    await wait(100);
    for (const row of rowsOf(held)) wipeSignatures(held.dir, row);
    assert.equal(await found('needle'), 2);
    await wait(2_500); // the threads end, and others begin with what is in the file
    assert.equal(await found('needle'), 0);
  });
});
