import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openGit } from '../../git/git.ts';
import { WorkTree } from '../../git/testing.ts';
import { createLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics.ts';
import type { UpdateProgress } from '../code/code-index.ts';
import { type CommitIndex, openCommitIndex } from './commit-index.ts';
import { COMMITS_FILE } from './store.ts';

describe('the index of commits', () => {
  const log = createLog('silent');
  let dir: string;
  let work: WorkTree;
  let index: CommitIndex;
  const git = openGit({ dir: tmpdir(), log, metrics: new Metrics(), fsync: false });
  const open = () => openCommitIndex({ dir, git: git.runner, log });
  const ids: string[] = [];

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-commit-index-'));
    work = await WorkTree.create(join(dir, 'work'));
    for (const word of ['alpha', 'beta', 'gamma'])
      ids.push(await work.save({ [word]: word }, `${word} commit`));
  });
  beforeEach(() => {
    index = open();
  });
  after(async () => {
    await git.close();
    await rm(dir, { recursive: true, force: true });
  });

  const state = (commit: string) => ({ repository: join(work.path, '.git'), commit });
  const found = async (projects: number[], text: string) => {
    const { rows } = await index.find(projects, text, { skip: 0, take: 100 });
    return rows.map(({ sha, project_id }) => `${project_id} ${sha}`);
  };

  it('holds what lies behind the tip, forwards, backwards and after it is opened again', async () => {
    await index.update(1, state(ids[0]!));
    assert.deepEqual(await found([1], 'COMMIT'), [`1 ${ids[0]}`]);
    await index.update(1, state(ids[2]!));
    assert.deepEqual(new Set(await found([1], 'commit')), new Set(ids.map((id) => `1 ${id}`)));
    await index.update(1, state(ids[1]!));
    assert.deepEqual(await found([1], 'gamma'), []);
    index.close();
    index = open();
    assert.equal(index.tip(1), ids[1]);
    assert.deepEqual(await found([1], 'beta'), [`1 ${ids[1]}`]);
    index.close();
  });

  it('keeps a commit as long as one project has it, and shows it once', async () => {
    await index.update(1, state(ids[1]!));
    await index.update(2, state(ids[2]!));
    assert.deepEqual(await found([1, 2], 'alpha'), [`1 ${ids[0]}`]);
    assert.deepEqual(await found([2], 'alpha'), [`2 ${ids[0]}`]);
    assert.deepEqual(await found([3], 'alpha'), []);
    await index.remove([1]);
    assert.deepEqual(await found([1, 2], 'alpha'), [`2 ${ids[0]}`]);
    await index.remove([2]);
    assert.deepEqual(await found([1, 2], 'alpha'), []);
    assert.deepEqual(index.projects(), []);
    index.close();
  });

  it('reads all anew when the commit before is gone from the repository', async () => {
    const other = await WorkTree.create(join(dir, 'other'));
    const only = await other.save({ a: 'a' }, 'delta commit');
    await index.update(1, state(ids[2]!));
    await index.update(1, { repository: join(other.path, '.git'), commit: only });
    assert.deepEqual(await found([1], 'commit'), [`1 ${only}`]);
    index.close();
  });

  it('tells how far it is', async () => {
    const told: UpdateProgress[] = [];
    await index.remove([1]);
    await index.update(1, state(ids[2]!), { onProgress: (progress) => told.push(progress) });
    assert.deepEqual(told.at(-1), { what: 'commits', done: 3, total: 3 });
  });

  it('begins anew after an update that was cut short', async () => {
    await index.remove([1]);
    const stop = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(index.update(1, state(ids[2]!), { signal: stop }), /stopped/);
    assert.equal(index.tip(1), undefined);
    index.close();
    index = open();
    assert.equal(index.tip(1), undefined);
    await index.update(1, state(ids[0]!));
    assert.deepEqual(await found([1], 'commit'), [`1 ${ids[0]}`]);
    index.close();
  });

  it('makes a file that cannot be read anew', async () => {
    index.close();
    await writeFile(
      join(dir, COMMITS_FILE),
      'this is no database, but long enough to be taken for one'.repeat(100),
    );
    index = open();
    assert.deepEqual(index.projects(), []);
    await index.update(1, state(ids[2]!));
    assert.deepEqual(await found([1], 'gamma'), [`1 ${ids[2]}`]);
    index.close();
  });
});
