import assert from 'node:assert/strict';
import { fstatSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveFiles } from './live-files.ts';
import { OpenLogs, type WritableLog } from './open-logs.ts';

describe('logs that are kept open', () => {
  let dir: string;
  let files: LiveFiles;
  let logs: OpenLogs;
  let job = 0;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-test-'));
    files = new LiveFiles(dir);
  });
  beforeEach(() => {
    logs = new OpenLogs(files);
    job++;
  });
  after(() => rm(dir, { recursive: true, force: true }));

  const add = (text: string) =>
    logs.use(job, async ({ file, size }) => {
      writeSync(file, text, size);
      return { file, size };
    });

  it('measures what another process has written', async () => {
    const first = await add('one ');
    const other = new OpenLogs(files);
    await other.use(job, async ({ file, size }) => writeSync(file, 'two ', size));
    assert.deepEqual(await add('three'), { file: first.file, size: 8 });
    assert.equal(await contents(), 'one two three');
  });

  it('opens anew what another process has begun anew or removed', async () => {
    await add('first');
    await new LiveFiles(dir).startOver(job);
    assert.equal((await add('second')).size, 0);
    await new LiveFiles(dir).remove(job);
    assert.equal((await add('third')).size, 0);
    assert.equal(await contents(), 'third');
  });

  it('does not close under who uses it', async () => {
    const { inode } = await logs.use(job, async ({ file }: WritableLog) => {
      logs.forget(job);
      await sleep(5);
      writeSync(file, 'still there');
      return { inode: fstatSync(file).ino };
    });
    assert.equal(await contents(), 'still there');
    assert.equal(files.look(job)?.inode, inode);
  });

  it('closes what is forgotten, and the oldest of too many', async () => {
    const { file: forgotten } = await add('x');
    const { ino } = fstatSync(forgotten);
    logs.forget(job);
    await untilClosed(forgotten, ino);
    const { file: oldest } = await add('x');
    const opened = fstatSync(oldest).ino;
    for (let i = 0; i < 200; i++) await logs.use(1_000_000 + i, async () => {});
    await untilClosed(oldest, opened);
    assert.equal((await add('y')).size, 2);
  });

  const contents = async () => {
    const handle = await files.openToRead(job);
    assert.ok(handle);
    const text = await readFile(handle, 'utf8');
    await handle.close();
    return text;
  };
});

/** Its number may have been given to another file by then. */
async function untilClosed(file: number, inode: number): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    try {
      if (fstatSync(file).ino !== inode) return;
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EBADF');
      return;
    }
    await sleep(5);
  }
  assert.fail('it is open still');
}
