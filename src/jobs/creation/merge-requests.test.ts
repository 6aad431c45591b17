import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedMember, seedPerson } from '../../../test/support/seed.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { PipelineBench } from './testing.ts';

const CONFIG = [
  'offered: { script: a, rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }] }',
  'pushed: { script: b, rules: [{ if: $CI_COMMIT_BRANCH }] }',
].join('\n');

for (const kind of dialects) {
  describe(`pipelines of merge requests on ${kind}`, () => {
    let bench: PipelineBench;
    before(async () => {
      bench = await PipelineBench.open(kind);
    });
    after(() => bench[Symbol.asyncDispose]());

    const push = (project: ProjectWithNamespace, n: number, more: object = {}) =>
      bench.push(project, CONFIG, { branch: 'topic', from: 'main', files: { n: `${n}` }, ...more });

    async function open(config = CONFIG) {
      const project = await bench.project();
      await bench.push(project, config);
      const sha = await push(project, 1);
      const { status, body } = await bench.service.api('POST', `/projects/${project.id}/merge_requests`, {
        body: { source_branch: 'topic', target_branch: 'main', title: 'Topic' },
      });
      assert.equal(status, 201);
      await bench.settled();
      return { project, sha, path: `/projects/${project.id}/merge_requests/${body.iid}` };
    }
    const shown = async (project: { id: number }) =>
      (await bench.pipelines(project)).slice(2).map(({ ref, source, sha }) => [source, ref, sha]);

    it('begin when it is opened and when somebody pushes to it, beside those of its branch', async () => {
      const { project, sha, path } = await open();
      const ref = 'refs/merge-requests/1/head';
      assert.deepEqual(await shown(project), [['merge_request_event', ref, sha]]);
      assert.deepEqual(await bench.jobs(project), { offered: 'pending' });
      const next = await push(project, 2);
      assert.deepEqual((await shown(project)).filter(([, , sha]) => sha === next).sort(), [
        ['merge_request_event', ref, next],
        ['push', 'topic', next],
      ]);
      const list = await bench.service.api('GET', `${path}/pipelines`);
      assert.equal(list.body.length, 4);
      const { head_pipeline: head } = (await bench.service.api('GET', path)).body;
      assert.equal(head.id, Math.max(...list.body.map((each: { id: number }) => each.id)));
      await bench.service.api('PUT', path, { body: { title: 'Other words' } });
      await bench.settled();
      assert.equal((await bench.service.api('GET', `${path}/pipelines`)).body.length, 4);
    });

    it('are asked for, by those who may run jobs', async () => {
      const { project, path } = await open();
      const reporter = await seedPerson(bench.service.core, `reporter-${project.id}`);
      await seedMember(bench.service.core, project, reporter, Level.reporter);
      const made = await bench.service.api('POST', `${path}/pipelines`);
      assert.deepEqual([made.status, made.body.source], [200, 'merge_request_event']);
      assert.equal(
        (await bench.service.api('POST', `${path}/pipelines`, { token: reporter.token })).status,
        403,
      );
      assert.equal((await bench.service.api('POST', `${path}9/pipelines`)).status, 404);
      await push(project, 3, { files: { '.gitlab-ci.yml': 'pushed: { script: b, only: [branches] }\n' } });
      const none = await bench.service.api('POST', `${path}/pipelines`);
      assert.equal(none.status, 400);
      assert.match(none.body.message.base[0], /Pipeline will not run for the selected trigger/);
    });

    it('do not begin by themselves for a commit that says so', async () => {
      const { project, path } = await open();
      await push(project, 4, { message: 'Docs [skip ci]' });
      const sources = (await shown(project)).map(([source]) => source);
      assert.deepEqual(sources, ['merge_request_event', 'push']);
      assert.equal((await bench.pipelines(project)).at(-1)?.status, 'skipped');
      assert.equal((await bench.service.api('POST', `${path}/pipelines`)).status, 200);
    });

    it('are waited for by a merge that is to come', async () => {
      const { project, path } = await open('offered: { script: a, only: [merge_requests] }\n');
      await push(project, 5, {
        files: { '.gitlab-ci.yml': 'offered: { script: a, only: [merge_requests] }\n' },
      });
      const merge = await bench.service.api('PUT', `${path}/merge`, { body: { auto_merge: true } });
      assert.deepEqual([merge.status, merge.body.state], [200, 'opened']);
      const [job] = await bench.rows(project);
      await bench.run(job!, 'success');
      assert.equal((await bench.service.api('GET', path)).body.state, 'merged');
    });

    it('of a fork run in the fork, where its owner may run nothing elsewhere', async () => {
      const { service } = bench;
      const project = await bench.project();
      await bench.push(project, CONFIG);
      const ann = await seedPerson(service.core, `ann-${project.id}`);
      await seedMember(service.core, project, ann, Level.reporter);
      const { token } = ann;
      const fork = (await service.api('POST', `/projects/${project.id}/fork`, { token })).body;
      const commit = { branch: 'topic', start_branch: 'main', commit_message: 'x' };
      const actions = [{ action: 'create', file_path: 'n', content: '1' }];
      await service.api('POST', `/projects/${fork.id}/repository/commits`, {
        token,
        body: { ...commit, actions },
      });
      const body = {
        source_branch: 'topic',
        target_branch: 'main',
        title: 'T',
        target_project_id: project.id,
      };
      const opened = await service.api('POST', `/projects/${fork.id}/merge_requests`, { token, body });
      assert.equal(opened.status, 201);
      await bench.settled();
      assert.deepEqual(
        (await bench.pipelines(fork)).map(({ source }) => source),
        ['push', 'merge_request_event'],
      );
      assert.equal((await bench.pipelines(project)).length, 1);
      const path = `/projects/${project.id}/merge_requests/${opened.body.iid}`;
      const { head_pipeline: head } = (await service.api('GET', path)).body;
      assert.deepEqual([head.project_id, head.source], [fork.id, 'merge_request_event']);
      const here = await service.api('POST', `${path}/pipelines`);
      assert.deepEqual([here.status, here.body.project_id], [200, project.id]);
    });
  });
}
