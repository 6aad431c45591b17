import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { pipelinesFor } from '../pipelines/pipelines.ts';
import { findPipeline, newestPipeline } from '../pipelines/store.ts';
import { listStatuses, type PostStatus, postStatus, type StatusFilter } from './statuses.ts';

let shas = 0;
/** Statuses need an id, not a commit: the commits room has looked that up. */
const newSha = () => String(++shas).padStart(40, '0');

for (const kind of dialects) {
  describe(`external statuses on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let ann: Person;
    let bob: Person;
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'statuses');
      ann = await seedUser(service.core, 'ann');
      bob = await seedUser(service.core, 'bob');
    });
    after(() => service.close());

    const post = (sha: string, input: Partial<PostStatus> & Pick<PostStatus, 'state'>) =>
      postStatus(service.core, {
        projectId: project.id,
        sha,
        userId: ann.user.id,
        branchOf: async () => 'main',
        authorize: async () => {},
        ...input,
      });
    const list = async (sha: string, filter: Partial<StatusFilter> = {}) => {
      const listing = { order: 'id', direction: 'asc', limit: 100, offset: 0 } as const;
      const { rows, total } = await listStatuses(
        service.core.db,
        { projectId: project.id, sha, defaultBranch: null, ...filter },
        listing,
      );
      assert.equal(total, rows.length);
      return rows;
    };
    const brief = (rows: { name: string; status: string }[]) =>
      rows.map((row) => `${row.name}:${row.status}`);
    const pipelineOf = (sha: string) => newestPipeline(service.core.db, { projectId: project.id, sha });

    it('makes a pipeline of source external for the first status of a commit', async () => {
      const sha = newSha();
      const status = await post(sha, { state: 'running' });
      assert.deepEqual(
        [status.name, status.ref, status.stage, status.kind, status.sha],
        ['default', 'main', 'external', 'external', sha],
      );
      const pipeline = await pipelineOf(sha);
      assert.deepEqual(
        [pipeline?.source, pipeline?.ref, pipeline?.status, pipeline?.user_id],
        ['external', 'main', 'running', ann.user.id],
      );
    });

    it('numbers the pipelines of a project', async () => {
      const [one, two] = [newSha(), newSha()];
      await post(one, { state: 'success' });
      await post(two, { state: 'success' });
      assert.equal((await pipelineOf(two))!.iid, (await pipelineOf(one))!.iid + 1);
    });

    it('uses the newest pipeline of the commit, and that of the ref where one is named', async () => {
      const sha = newSha();
      const onMain = await post(sha, { state: 'success', ref: 'main' });
      const onOther = await post(sha, { state: 'success', ref: 'other' });
      const again = await post(sha, { state: 'success', name: 'b' });
      const back = await post(sha, { state: 'success', name: 'b', ref: 'main' });
      assert.notEqual(onMain.pipeline_id, onOther.pipeline_id);
      assert.equal(again.pipeline_id, onOther.pipeline_id);
      assert.equal(back.pipeline_id, onMain.pipeline_id);
    });

    it('uses the pipeline that is named, and refuses one of another commit', async () => {
      const sha = newSha();
      const first = await post(sha, { state: 'success', ref: 'main' });
      await post(sha, { state: 'success', ref: 'other' });
      const named = await post(sha, { state: 'success', name: 'b', pipelineId: first.pipeline_id });
      assert.deepEqual([named.pipeline_id, named.ref], [first.pipeline_id, 'main']);
      const wrong = post(newSha(), { state: 'success', pipelineId: first.pipeline_id });
      await assert.rejects(wrong, {
        status: 404,
        message: '404 Pipeline for pipeline_id, sha and ref Not Found',
      });
    });

    it('answers 404 when no branch has the commit and no ref is named', async () => {
      await assert.rejects(post(newSha(), { state: 'success', branchOf: async () => null }), {
        status: 404,
        message: '404 References for commit Not Found',
      });
      assert.equal((await post(newSha(), { state: 'success', ref: 'not-there' })).ref, 'not-there');
    });

    it('asks for the right to the ref before it writes', async () => {
      const sha = newSha();
      const refuse = async (ref: string) => {
        throw new Error(`not on ${ref}`);
      };
      await assert.rejects(post(sha, { state: 'success', ref: 'main', authorize: refuse }), /not on main/);
      assert.equal(await pipelineOf(sha), undefined);
    });

    it('moves an open status on in place', async () => {
      const sha = newSha();
      const pending = await post(sha, { state: 'pending', name: 'ci' });
      const running = await post(sha, { state: 'running', name: 'ci' });
      const done = await post(sha, { state: 'success', name: 'ci' });
      assert.deepEqual([running.id, done.id], [pending.id, pending.id]);
      assert.ok(running.started_at !== null && running.finished_at === null);
      assert.ok(done.started_at === running.started_at && done.finished_at !== null);
      assert.equal((await pipelineOf(sha))?.status, 'success');
    });

    it('makes a new status after an end, and hides the old one', async () => {
      const sha = newSha();
      const failed = await post(sha, { state: 'failed', name: 'ci' });
      const retried = await post(sha, { state: 'success', name: 'ci' });
      assert.notEqual(failed.id, retried.id);
      assert.deepEqual(brief(await list(sha)), ['ci:success']);
      assert.deepEqual(brief(await list(sha, { all: true })), ['ci:failed', 'ci:success']);
      assert.equal((await pipelineOf(sha))?.status, 'success');
    });

    it("does not touch another user's open status: the new one stands for it", async () => {
      const sha = newSha();
      const mine = await post(sha, { state: 'pending', name: 'ci' });
      const his = await post(sha, { state: 'pending', name: 'ci', userId: bob.user.id });
      assert.notEqual(mine.id, his.id);
      assert.deepEqual(
        (await list(sha)).map(({ id }) => id),
        [his.id],
      );
      const next = await post(sha, { state: 'success', name: 'ci' });
      assert.deepEqual(
        (await list(sha)).map(({ id }) => id),
        [next.id],
      );
    });

    it('refuses a step that there is not, and stores nothing of it', async () => {
      const sha = newSha();
      await post(sha, { state: 'running', name: 'ci', description: 'one' });
      await assert.rejects(post(sha, { state: 'running', name: 'ci', description: 'two' }), {
        status: 400,
        body: {
          message:
            'Cannot transition status via :run from :running (Reason(s): Status cannot transition via "run")',
        },
      });
      assert.equal((await list(sha))[0]?.description, 'one');
    });

    it('changes only what is sent and not blank', async () => {
      const sha = newSha();
      const targetUrl = 'https://ci.example.com/1';
      await post(sha, { state: 'pending', targetUrl, description: 'queued', coverage: 12.5 });
      await post(sha, { state: 'running', targetUrl: '', description: null });
      const done = await post(sha, { state: 'success', coverage: 99.25 });
      assert.deepEqual([done.target_url, done.description, done.coverage], [targetUrl, 'queued', 99.25]);
    });

    it('takes context for a name, and name before context', async () => {
      const sha = newSha();
      assert.equal((await post(sha, { state: 'success', context: 'ctx' })).name, 'ctx');
      assert.equal((await post(sha, { state: 'success', context: 'ctx', name: 'n' })).name, 'n');
      assert.equal((await post(sha, { state: 'success', name: ' ' })).name, 'default');
    });

    it('refuses values that do not fit', async () => {
      const long = 'x'.repeat(256);
      const problems = async (input: Partial<PostStatus>) => {
        const error = await post(newSha(), { state: 'success', ...input }).catch((caught) => caught);
        return [error.status, error.body.message];
      };
      const tooLong = ['is too long (maximum is 255 characters)'];
      const scheme = ['is blocked: Only allowed schemes are http, https'];
      assert.deepEqual(await problems({ name: long }), [400, { name: tooLong }]);
      assert.deepEqual(await problems({ description: long }), [400, { description: tooLong }]);
      assert.deepEqual(await problems({ targetUrl: `http://x/${long}` }), [400, { target_url: tooLong }]);
      for (const targetUrl of ['javascript:alert(1)', 'git://example.com/x', 'example.com', ' http://x'])
        assert.deepEqual(await problems({ targetUrl }), [400, { target_url: scheme }], targetUrl);
      assert.deepEqual(await problems({ targetUrl: 'http://' }), [
        400,
        { target_url: ['is blocked: URI is invalid'] },
      ]);
      assert.equal((await problems({ ref: 'x'.repeat(3000) }))[0], 400);
      assert.equal((await post(newSha(), { state: 'success', name: 'é'.repeat(255) })).name.length, 255);
    });

    it('refuses the name of a CI job of the same pipeline', async () => {
      const sha = newSha();
      const { pipeline_id } = await post(sha, { state: 'success', name: 'other' });
      const job = { kind: 'build', stage: 'test', stage_idx: 1, ref: 'main', status: 'running' } as const;
      const rest = { description: null, target_url: null, coverage: null, failure_reason: null };
      const times = { queued_at: null, started_at: null, finished_at: null, created_at: 1, updated_at: 1 };
      const row = {
        ...job,
        ...rest,
        ...times,
        name: 'rspec',
        project_id: project.id,
        pipeline_id,
        user_id: null,
      };
      await service.core.db.insertInto('jobs').values(row).execute();
      await assert.rejects(post(sha, { state: 'success', name: 'rspec' }), {
        body: { message: { name: ['has already been taken'] } },
      });
      assert.deepEqual(brief(await list(sha, { stage: 'test' })), ['rspec:running']);
    });

    it('filters by ref, stage, name and pipeline', async () => {
      const sha = newSha();
      const a = await post(sha, { state: 'success', name: 'a', ref: 'main' });
      await post(sha, { state: 'failed', name: 'b', ref: 'other' });
      assert.deepEqual(brief(await list(sha, { ref: 'other' })), ['b:failed']);
      assert.deepEqual(brief(await list(sha, { name: 'a' })), ['a:success']);
      assert.deepEqual(brief(await list(sha, { pipelineId: a.pipeline_id })), ['a:success']);
      assert.deepEqual(await list(sha, { stage: 'test' }), []);
      assert.deepEqual(await list(sha, { projectId: project.id + 1 }), []);
    });

    it('sums up the statuses of a commit in its pipeline, with times', async () => {
      const sha = newSha();
      await post(sha, { state: 'running', name: 'a' });
      await post(sha, { state: 'success', name: 'b' });
      const open = await pipelineOf(sha);
      assert.deepEqual([open?.status, open?.finished_at], ['running', null]);
      assert.ok(open?.started_at);
      await post(sha, { state: 'failed', name: 'a' });
      const done = await pipelineOf(sha);
      assert.equal(done?.status, 'failed');
      assert.ok(done?.finished_at && done.duration !== null);
    });

    it('finds the newest pipelines of many commits at once', async () => {
      const [one, two, none] = [newSha(), newSha(), newSha()];
      await post(one, { state: 'failed', ref: 'main' });
      const newest = await post(one, { state: 'success', ref: 'other' });
      await post(two, { state: 'running' });
      const found = await pipelinesFor(service.core.db, project.id, [one, two, none]);
      assert.deepEqual([...found.keys()].sort(), [one, two].sort());
      assert.equal(found.get(one)?.id, newest.pipeline_id);
    });

    it('tells other rooms of statuses and of pipelines that change', async () => {
      const sha = newSha();
      const { pipeline_id: pipelineId } = await post(sha, { state: 'pending' });
      await post(sha, { state: 'success' });
      const events = await service.core.db
        .selectFrom('events')
        .select(['type', 'payload'])
        .orderBy('id')
        .execute();
      const told = events
        .map(({ type, payload }) => ({ type, ...JSON.parse(payload) }))
        .filter((event) => event.pipelineId === pipelineId)
        .map(({ type, before = '', status }) => `${type} ${before} ${status}`);
      assert.deepEqual(told, [
        'pipeline.updated null created',
        'commit_status.updated  pending',
        'pipeline.updated created pending',
        'commit_status.updated  success',
        'pipeline.updated pending success',
      ]);
    });

    it('ends in one right state when many post the same status at once', async () => {
      const sha = newSha();
      const results = await Promise.allSettled(
        Array.from({ length: 12 }, () => post(sha, { state: 'running', name: 'ci' })),
      );
      const refused = results.filter((result) => result.status === 'rejected');
      assert.equal(refused.length, 11);
      for (const { reason } of refused) assert.equal(reason.status, 400);
      assert.deepEqual(brief(await list(sha, { all: true })), ['ci:running']);
      const rows = await service.core.db.selectFrom('pipelines').selectAll().where('sha', '=', sha).execute();
      assert.deepEqual(
        rows.map((row) => row.status),
        ['running'],
      );
    });

    it('keeps one current row a name when many finish at once', async () => {
      const sha = newSha();
      const states = ['success', 'failed', 'success', 'canceled', 'failed', 'success'] as const;
      await Promise.all(states.map((state) => post(sha, { state, name: 'ci' })));
      const current = await list(sha);
      assert.equal(current.length, 1);
      assert.equal((await list(sha, { all: true })).length, states.length);
      const pipeline = await findPipeline(service.core.db, project.id, current[0]!.pipeline_id);
      assert.equal(pipeline?.status, current[0]?.status);
    });
  });
}
