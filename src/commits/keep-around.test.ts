import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { resolveRef } from '../git/refs.ts';
import { type Forge, openForge, type TestProject } from './testing.ts';

describe('commits that something refers to', () => {
  let forge: Forge;
  let target: TestProject;
  let count = 0;

  before(async () => {
    forge = await openForge();
    const work = await forge.workTree();
    await work.save({ a: 'a\n' }, 'First');
    target = await forge.project({ work });
  });
  after(() => forge[Symbol.asyncDispose]());

  /** Makes a branch with one commit, refers to it, deletes the branch, and lets git throw away what nothing holds. */
  async function left(refer: (sha: string, branch: string) => Promise<{ status: number }>): Promise<string> {
    const branch = `b${++count}`;
    const made = await target.commits('POST', '', {
      body: {
        branch,
        start_branch: 'main',
        commit_message: branch,
        actions: [{ action: 'create', file_path: branch }],
      },
    });
    const { id } = made.body;
    assert.equal((await refer(id, branch)).status, 201);
    await forge.service.core.events.idle();
    assert.equal((await target.call('DELETE', `/repository/branches/${branch}`)).status, 204);
    await target.repo.run(['prune', '--expire=now']);
    return id;
  }

  const isThere = async (sha: string) => (await target.repo.tryRun(['cat-file', '-e', sha])).code === 0;

  it('stay when their branch is gone: commented on, tested, offered', async () => {
    const commented = await left((sha) =>
      target.commits('POST', `/${sha}/comments`, { body: { note: 'Nice' } }),
    );
    const threaded = await left((sha) =>
      target.commits('POST', `/${sha}/discussions`, { body: { body: 'Why?' } }),
    );
    const tested = await left((sha) =>
      target.call('POST', `/statuses/${sha}`, { body: { state: 'success' } }),
    );
    const offered = await left((sha, branch) =>
      target.call('POST', '/merge_requests', {
        body: { source_branch: branch, target_branch: 'main', title: sha },
      }),
    );
    for (const sha of [commented, threaded, tested, offered]) {
      assert.ok(await isThere(sha));
      assert.equal(await resolveRef(target.repo, `refs/keep-around/${sha}`), sha);
      assert.deepEqual((await target.commits('GET', `/${sha}/refs`)).body, []);
    }
    const all = await target.commits('GET', '', { query: { all: true } });
    assert.ok(!all.body.some(({ id }: { id: string }) => [commented, threaded, tested].includes(id)));
    assert.equal((await target.commits('GET', `/${commented}/comments`)).body[0].note, 'Nice');
  });

  it('go with their branch when nothing does', async () => {
    const plain = await left(async () => ({ status: 201 }));
    assert.equal(await isThere(plain), false);
  });
});
