import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedMember, seedPerson } from '../../../test/support/seed.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { issueJobToken } from '../../core/tokens/job-tokens.ts';
import { tokenHash } from '../../core/tokens/secret.ts';
import { upload, zipOf } from '../artifacts/testing/upload.ts';
import { PipelineBench } from '../creation/testing.ts';
import { finishJob } from '../processing/finish-job.ts';
import { insertJobRun } from '../runners/job-runs-store.ts';

const CHILD = 'inner: { stage: build, script: a }\nlast: { stage: test, script: b }\n';

for (const kind of dialects) {
  describe(`bridges on ${kind}`, () => {
    let bench: PipelineBench;
    before(async () => {
      bench = await PipelineBench.open(kind);
    });
    after(() => bench[Symbol.asyncDispose]());

    const parent = (trigger: string, behind = '') =>
      `begin: { stage: build, trigger: ${trigger} }\n${behind}`;
    const DEPENDS = '{ include: child.yml, strategy: depend }';
    const BEHIND = 'after: { stage: deploy, script: c }\n';

    async function begin(config: string, child = CHILD) {
      const project = await bench.project();
      await bench.push(project, config, { files: { 'child.yml': child } });
      const [upstream, downstream] = await bench.pipelines(project);
      return { project, upstream: upstream!, downstream };
    }
    const states = async (project: { id: number }) =>
      (await bench.pipelines(project)).map(({ source, status }) => [source, status]);

    it('begin child pipelines for the same commit, and are done with that', async () => {
      const { project, upstream, downstream } = await begin(parent('{ include: child.yml }'), CHILD);
      assert.deepEqual(await states(project), [
        ['push', 'success'],
        ['parent_pipeline', 'pending'],
      ]);
      assert.deepEqual([downstream?.sha, downstream?.ref], [upstream.sha, upstream.ref]);
      assert.deepEqual(await bench.jobs(project, downstream?.id), { inner: 'pending', last: 'created' });
      const path = `/projects/${project.id}`;
      const { body } = await bench.service.api('GET', `${path}/pipelines/${upstream.id}/bridges`);
      assert.deepEqual(
        [body.length, body[0].name, body[0].status, body[0].downstream_pipeline.id],
        [1, 'begin', 'success', downstream?.id],
      );
      assert.equal('runner' in body[0], false);
      const list = async (query = {}) =>
        (await bench.service.api('GET', `${path}/pipelines`, { query })).body.map(
          (each: { id: number }) => each.id,
        );
      assert.deepEqual(await list(), [upstream.id]);
      assert.deepEqual(await list({ source: 'parent_pipeline' }), [downstream?.id]);
      const latest = await bench.service.api('GET', `${path}/pipelines/latest`);
      assert.equal(latest.body.id, upstream.id);
    });

    it('that depend go as their pipeline goes, also when it is retried', async () => {
      const { project, upstream, downstream } = await begin(parent(DEPENDS, BEHIND));
      const jobs = () => bench.jobs(project, upstream.id);
      assert.deepEqual(await jobs(), { begin: 'running', after: 'created' });
      const [inner] = await bench.rows(project, downstream!.id);
      await bench.run(inner!, 'failed');
      assert.deepEqual(await jobs(), { begin: 'failed', after: 'skipped' });
      assert.deepEqual(
        (await states(project)).map(([, status]) => status),
        ['failed', 'failed'],
      );
      await bench.service.api('POST', `/projects/${project.id}/pipelines/${downstream!.id}/retry`);
      await bench.settled();
      assert.equal((await jobs())['begin'], 'running');
      for (const name of ['inner', 'last']) {
        const job = (await bench.rows(project, downstream!.id)).find((each) => each.name === name);
        await bench.run(job!, 'success');
      }
      assert.equal((await jobs())['begin'], 'success');
    });

    it('are cancelled with their pipeline, and their pipeline with them', async () => {
      const { project, upstream, downstream } = await begin(parent(DEPENDS));
      const path = `/projects/${project.id}/pipelines`;
      await bench.service.api('POST', `${path}/${upstream.id}/cancel`);
      await bench.settled();
      assert.deepEqual(await states(project), [
        ['push', 'canceled'],
        ['parent_pipeline', 'canceled'],
      ]);
      const other = await begin(parent(DEPENDS, BEHIND));
      const at = `/projects/${other.project.id}/pipelines/${other.downstream!.id}/cancel`;
      await bench.service.api('POST', at);
      await bench.settled();
      assert.equal((await bench.jobs(other.project, other.upstream.id))['begin'], 'canceled');
      assert.notEqual(downstream, undefined);
    });

    it('answer `retry` and `play` with what they begin, in the shape of bridges', async () => {
      const config = `${parent('{ include: child.yml }')}ask: { stage: build, when: manual, trigger: { include: child.yml } }\n`;
      const { project, upstream, downstream } = await begin(config);
      const post = async (name: string, action: string) => {
        const job = (await bench.rows(project, upstream.id)).find((each) => each.name === name);
        const reply = await bench.service.api('POST', `/projects/${project.id}/jobs/${job!.id}/${action}`);
        await bench.settled();
        return { ...reply, asked: job!.id };
      };
      const retried = await post('begin', 'retry');
      assert.deepEqual([retried.status, retried.body.name], [201, 'begin'], retried.text);
      assert.ok(retried.body.id > retried.asked);
      assert.equal(retried.body.downstream_pipeline, null);
      for (const absent of ['runner', 'artifacts', 'tag_list']) assert.equal(absent in retried.body, false);
      const played = await post('ask', 'play');
      assert.deepEqual([played.status, played.body.id, played.body.status], [200, played.asked, 'started']);
      assert.deepEqual([played.body.downstream_pipeline, 'runner' in played.body], [null, false]);
      const path = `/projects/${project.id}/pipelines/${upstream.id}/bridges`;
      const begun = (await bench.service.api('GET', path)).body.map(
        ({ downstream_pipeline: { id } }: { downstream_pipeline: { id: number } }) => id,
      );
      assert.equal(new Set([...begun, downstream?.id]).size, 3);
    });

    it('hand on what the configuration and the pipeline say', async () => {
      const child = 'fast: { script: a, rules: [{ if: $MODE == "fast-main" && $GIVEN == null }] }\n';
      const config = `variables: { GLOBAL: g }\nbegin:\n  variables: { MODE: "fast-$CI_COMMIT_BRANCH", LATER: "$UNKNOWN", RAW: { value: "$X", expand: false } }\n  trigger: { include: child.yml }\n`;
      const { project, downstream } = await begin(config, child);
      const at = `/projects/${project.id}/pipelines/${downstream?.id}/variables`;
      const variables: { key: string; value: string; raw: boolean }[] = (await bench.service.api('GET', at))
        .body;
      assert.deepEqual(
        variables.map(({ key, value, raw }) => [key, value, raw]),
        [
          ['GLOBAL', 'g', false],
          ['LATER', '$UNKNOWN', false],
          ['MODE', 'fast-main', false],
          ['RAW', '$X', true],
        ],
      );
    });

    it('of a broken child fail, and it is there to be looked at', async () => {
      const { project, upstream, downstream } = await begin(
        parent('{ include: child.yml }'),
        'x: { stage: y, script: a }\n',
      );
      assert.deepEqual(await bench.jobs(project, upstream.id), { begin: 'failed' });
      const [job] = await bench.rows(project, upstream.id);
      assert.equal(job?.failure_reason, 'downstream_pipeline_creation_failed');
      assert.equal(downstream?.status, 'failed');
      assert.match(downstream?.yaml_errors ?? '', /chosen stage y does not exist/);
      const none = await begin(parent('{ include: missing.yml }'));
      assert.deepEqual(await bench.jobs(none.project, none.upstream.id), { begin: 'failed' });
    });

    it('begin a child out of what a job has made', async () => {
      const { service } = bench;
      const { core } = service;
      const project = await bench.project();
      const include = '[{ artifact: gen/child.yml, job: make }, { local: more.yml }]';
      const config = `make: { stage: build, script: a, artifacts: { paths: [gen] } }\nbegin: { stage: test, trigger: { include: ${include} } }\n`;
      await bench.push(project, config, { files: { 'more.yml': 'more: { script: c }\n' } });
      const [make] = await bench.rows(project);
      await bench.run(make!);
      const token = await core.database.transaction(async (tx) => {
        const owner = { jobId: make!.id, userId: 1, projectId: project.id };
        const issued = await issueJobToken(tx, owner, core.clock.now());
        await insertJobRun(tx, { job_id: make!.id, token_hash: tokenHash(issued), unconfirmed_since: null });
        return issued;
      });
      const zip = await zipOf({ 'gen/child.yml': CHILD });
      assert.equal((await upload(service, { job: make!, token }, zip)).status, 201);
      await core.database.transaction((tx) => finishJob(tx, core, make!.id, { status: 'success' }));
      await bench.settled();
      assert.deepEqual((await states(project)).at(-1), ['parent_pipeline', 'pending']);
      assert.deepEqual(Object.keys(await bench.jobs(project)).sort(), ['inner', 'last', 'more']);
    });

    it('end with the second generation of children', async () => {
      const { project } = await begin(
        parent('{ include: child.yml }'),
        'again: { trigger: { include: child.yml } }\n',
      );
      const pipelines = await bench.pipelines(project);
      assert.deepEqual(
        pipelines.map(({ source }) => source),
        ['push', 'parent_pipeline', 'parent_pipeline'],
      );
      const [last] = await bench.rows(project);
      assert.deepEqual(
        [last?.status, last?.failure_reason],
        ['failed', 'reached_max_descendant_pipelines_depth'],
      );
    });

    it('begin pipelines of other projects, where their user may', async () => {
      const other = await bench.project();
      await bench.push(other, CHILD, { branch: 'side', message: '[skip ci]' });
      await bench.push(other, CHILD);
      const target = `{ project: ${other.full_path}, branch: side, strategy: depend }`;
      const project = await bench.project();
      await bench.push(project, parent(target));
      const begun = (await bench.pipelines(other)).at(-1)!;
      assert.deepEqual([begun.source, begun.ref, begun.status], ['pipeline', 'side', 'pending']);
      assert.deepEqual(await bench.jobs(project), { begin: 'running' });
      for (const name of ['inner', 'last']) {
        const job = (await bench.rows(other)).find((each) => each.name === name);
        await bench.run(job!, 'success');
      }
      assert.deepEqual(await bench.jobs(project), { begin: 'success' });
    });

    it('say why they begin nothing', async () => {
      const { service } = bench;
      const other = await bench.project();
      await bench.push(other, CHILD);
      const ann = await seedPerson(service.core, `ann-${other.id}`);
      const outcome = async (project: ProjectWithNamespace, trigger: string) => {
        await bench.push(
          project,
          `begin: { trigger: ${trigger}, rules: [{ if: $CI_PIPELINE_SOURCE == "api" }] }\n`,
          {
            branch: `b${++branches}`,
            from: 'main',
          },
        );
        const asked = { token: ann.token, body: { ref: `b${branches}` } };
        const made = await service.api('POST', `/projects/${project.id}/pipeline`, asked);
        assert.equal(made.status, 201);
        await bench.settled();
        return (await bench.rows(project, made.body.id))[0]?.failure_reason;
      };
      let branches = 0;
      const project = await bench.project();
      await bench.push(project, CHILD);
      await seedMember(service.core, project, ann, Level.developer);
      const there = `{ project: ${other.full_path} }`;
      assert.equal(await outcome(project, there), 'downstream_bridge_project_not_found');
      await seedMember(service.core, other, ann, Level.reporter);
      assert.equal(await outcome(project, there), 'insufficient_bridge_permissions');
      assert.equal(
        await outcome(project, `{ project: ${other.full_path}, branch: gone }`),
        'downstream_pipeline_creation_failed',
      );
    });

    it('never chase each other without end', async () => {
      const one = await bench.project();
      const two = await bench.project();
      await bench.push(one, 'begin: { trigger: { project: $OTHER } }\n'.replace('$OTHER', two.full_path), {
        message: '[skip ci]',
      });
      await bench.push(two, `begin: { trigger: { project: ${one.full_path} } }\n`);
      const loops = [...(await bench.rows(one)), ...(await bench.rows(two))].filter(
        ({ failure_reason }) => failure_reason === 'pipeline_loop_detected',
      );
      assert.equal(loops.length, 1);
      const count = (await bench.pipelines(one)).length + (await bench.pipelines(two)).length;
      assert.ok(count <= 6, `${count} pipelines`);
    });
  });
}
