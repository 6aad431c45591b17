import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { seedCommit } from '../../../../test/support/seed.ts';
import { answered, MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`versions of merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    it('are one for each push, and stay readable', async () => {
      const project = await bench.prepare();
      const { sha, diff_refs } = await bench.opened(project);
      const { core } = bench.service;
      const pushed = await seedCommit(core, project, { branch: 'topic', files: { more: '1\n' } });
      await core.events.idle();
      const forced = await bench.topic(project, 'other');
      const origin = { userId: 1, via: 'push' } as const;
      await core.refUpdates.update(project, [{ ref: 'refs/heads/topic', new: forced }], origin);
      await core.events.idle();
      const versions = (await bench.get(project, '/1/versions')).body;
      assert.deepEqual(
        versions.map((version: Record<string, string>) => version['head_commit_sha']),
        [forced, pushed, sha],
      );
      assert.equal(await bench.tip(project, `refs/keep-around/${pushed}`), pushed);
      const patches = versions.map((version: Record<string, string>) => version['patch_id_sha']);
      for (const patch of patches) assert.match(patch, /^[0-9a-f]{40}$/);
      assert.equal(new Set(patches.slice(1)).size, 2);
      const first = (await bench.get(project, `/1/versions/${versions[2].id}`)).body;
      assert.equal(first.patch_id_sha, patches[2]);
      assert.deepEqual(
        [first.state, first.real_size, first.base_commit_sha, first.commits.length],
        ['collected', '1', diff_refs.base_sha, 1],
      );
      const second = (await bench.get(project, `/1/versions/${versions[1].id}`, { query: { unidiff: true } }))
        .body;
      assert.deepEqual(
        second.diffs.map((file: { new_path: string }) => file.new_path),
        ['more', 'topic.txt'],
      );
      assert.match(second.diffs[0].diff, /^--- \/dev\/null\n/);
    });

    it('have no patch id where they hold more than a diff shows', async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      const files = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`many/${n}`, '1\n']));
      await seedCommit(bench.service.core, project, { branch: 'topic', files });
      await bench.service.core.events.idle();
      const [many, few] = (await bench.get(project, '/1/versions')).body;
      assert.deepEqual([many.state, many.patch_id_sha], ['overflow', null]);
      assert.match(few.patch_id_sha, /^[0-9a-f]{40}$/);
      assert.equal((await bench.get(project, `/1/versions/${many.id}`)).body.patch_id_sha, null);
    });

    it('are of one merge request only', async () => {
      const project = await bench.prepare();
      await bench.topic(project, 'other');
      await bench.opened(project);
      await bench.opened(project, { source_branch: 'other' });
      const [version] = (await bench.get(project, '/2/versions')).body;
      assert.equal((await bench.get(project, `/2/versions/${version.id}`)).status, 200);
      assert.deepEqual(answered(await bench.get(project, `/1/versions/${version.id}`)), [
        404,
        '404 Not found',
      ]);
    });

    it('get one number each when pushes and a reader come at once', async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      await seedCommit(bench.service.core, project, { branch: 'topic', files: { more: 'x' } });
      const retarget = bench.put(project, '/1', { title: 'Other', squash: true });
      const merges = [1, 2].map(() => bench.put(project, '/1/merge', {}));
      const [changed, ...merged] = await Promise.all([retarget, ...merges]);
      assert.equal(changed!.status, 200);
      assert.deepEqual(merged.map(({ status }) => status).sort(), [200, 405]);
      await bench.service.core.events.idle();
      assert.equal((await bench.get(project, '/1/versions')).body.length, 2);
      assert.equal((await bench.get(project, '/1')).body.state, 'merged');
    });

    it('can be downloaded as the patch that git applies', async () => {
      const project = await bench.prepare();
      await seedCommit(bench.service.core, project, { branch: 'topic', files: { '"odd" näme': 'x' } });
      await bench.opened(project);
      const reply = await bench.get(project, '/1/raw_diffs');
      assert.match(String(reply.headers['content-type']), /^text\/plain/);
      assert.equal(reply.headers['x-content-type-options'], 'nosniff');
      assert.match(
        reply.text,
        /^diff --git a\/topic.txt b\/topic.txt\nnew file mode 100644\nindex 0{40}\.\./m,
      );
      const head = await bench.service.api('HEAD', bench.at(project, '/1/raw_diffs'));
      assert.deepEqual([head.status, head.text], [200, '']);
    });

    it('keep their ref when the branch and the fork are gone', async () => {
      const project = await bench.prepare();
      const fork = await bench.fork(project);
      const { token } = bench.dev;
      const opened = await bench.open(fork, { target_project_id: project.id }, { token });
      const sha = opened.body.sha;
      await bench.service.core.events.idle();
      await bench.service.api('DELETE', `/projects/${fork.id}/repository/branches/topic`, { token });
      await bench.service.api('DELETE', `/projects/${fork.id}`, { token });
      await bench.service.core.events.idle();
      assert.equal(await bench.tip(project, 'refs/merge-requests/1/head'), sha);
      const { body } = await bench.get(project, '/1');
      assert.deepEqual([body.sha, body.state, body.detailed_merge_status], [sha, 'opened', 'commits_status']);
      assert.equal((await bench.get(project, '/1/versions')).body[0].head_commit_sha, sha);
    });
  });
}
