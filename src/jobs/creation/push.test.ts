import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { pipelineRef } from '../../git/pipeline-refs.ts';
import { resolveRef } from '../../git/refs.ts';
import { createPipelineFor } from './create.ts';
import { PipelineBench } from './testing.ts';

const ONE_JOB = 'test:\n  script: make test\n';

for (const kind of dialects) {
  describe(`a push on ${kind}`, () => {
    let bench: PipelineBench;
    before(async () => {
      bench = await PipelineBench.open(kind);
    });
    after(() => bench[Symbol.asyncDispose]());

    const shown = async (project: { id: number }) =>
      (await bench.pipelines(project)).map(({ ref, source, status }) => [ref, source, status]);

    it('begins a pipeline, whose first jobs wait for a runner', async () => {
      const project = await bench.project();
      const config = [
        'stages: [build, test, later]',
        'compile: { stage: build, script: make, tags: [linux, arm], timeout: 10 minutes }',
        'unit: { stage: test, script: make test, interruptible: true }',
        'early: { stage: test, script: make lint, needs: [] }',
        'deploy: { stage: later, script: go, when: manual, resource_group: $CI_COMMIT_BRANCH, environment: review/$CI_COMMIT_REF_SLUG }',
      ].join('\n');
      const sha = await bench.push(project, config);
      const [pipeline] = await bench.pipelines(project);
      assert.deepEqual(
        [pipeline?.iid, pipeline?.sha, pipeline?.ref, pipeline?.source, pipeline?.status, pipeline?.user_id],
        [1, sha, 'main', 'push', 'pending', 1],
      );
      assert.deepEqual(JSON.parse(pipeline!.stages), ['build', 'test', 'later']);
      assert.deepEqual(await bench.jobs(project), {
        compile: 'pending',
        unit: 'created',
        early: 'pending',
        deploy: 'created',
      });
      const [compile, unit, , deploy] = await bench.rows(project);
      assert.deepEqual([compile?.tags, compile?.timeout, unit?.timeout], ['["arm","linux"]', 600, 3600]);
      assert.deepEqual([compile?.interruptible, unit?.interruptible], [0, 1]);
      assert.deepEqual([deploy?.resource_group, deploy?.environment], ['main', 'review/main']);
      const ref = await resolveRef(bench.service.core.repositoryOf(project), pipelineRef(pipeline!.id));
      assert.equal(ref, sha);
    });

    it('lets its jobs end and their pipeline with them; the ref goes then', async () => {
      const project = await bench.project();
      await bench.push(project, 'one: { stage: build, script: a }\ntwo: { stage: test, script: b }\n');
      const [one] = await bench.rows(project);
      await bench.run(one!, 'success');
      const [, two] = await bench.rows(project);
      assert.equal(two?.status, 'pending');
      await bench.run(two!, 'failed');
      const [pipeline] = await bench.pipelines(project);
      assert.equal(pipeline?.status, 'failed');
      const repo = bench.service.core.repositoryOf(project);
      assert.equal(await resolveRef(repo, pipelineRef(pipeline!.id)), null);
    });

    it('shows a pipeline in which something that may fail did as passed with warnings', async () => {
      const project = await bench.project();
      await bench.push(project, 'may: { script: a, allow_failure: true }\nmust: { script: b }\n');
      const [may, must] = await bench.rows(project);
      await bench.run(may!, 'failed');
      await bench.run(must!, 'success');
      const path = `/projects/${project.id}/pipelines/${may!.pipeline_id}`;
      const { body } = await bench.service.api('GET', path);
      const { icon, text, label, group } = body.detailed_status;
      assert.deepEqual(
        [body.status, icon, text, label, group],
        ['success', 'status_warning', 'Warning', 'passed with warnings', 'success-with-warnings'],
      );
    });

    it('of a tag runs for the tag; of a branch that goes, nothing runs', async () => {
      const project = await bench.project();
      const sha = await bench.push(project, `${ONE_JOB}tagged: { script: t, only: [tags] }\n`);
      const { refUpdates } = bench.service.core;
      const origin = { userId: 1, via: 'push' as const };
      await refUpdates.update(project, [{ ref: 'refs/tags/v1', new: sha }], origin);
      await refUpdates.update(project, [{ ref: 'refs/heads/main', new: null }], origin);
      await bench.settled();
      assert.deepEqual(await shown(project), [
        ['main', 'push', 'pending'],
        ['v1', 'push', 'pending'],
      ]);
      assert.deepEqual(Object.keys(await bench.jobs(project)).sort(), ['tagged', 'test']);
    });

    it('of an annotated tag runs for the commit that it names', async () => {
      const project = await bench.project();
      const sha = await bench.push(project, ONE_JOB);
      const tags = `/projects/${project.id}/repository/tags`;
      const body = { tag_name: 'v1', ref: 'main', message: 'One' };
      assert.equal((await bench.service.api('POST', tags, { body })).status, 201);
      await bench.settled();
      const again = { body: { ref: 'v1' } };
      const asked = await bench.service.api('POST', `/projects/${project.id}/pipeline`, again);
      assert.deepEqual([asked.status, asked.body.tag, asked.body.sha], [201, true, sha]);
      const rows = await bench.pipelines(project);
      assert.deepEqual(
        rows.map((row) => [row.ref, row.tag, row.source, row.sha]),
        [
          ['main', 0, 'push', sha],
          ['v1', 1, 'push', sha],
          ['v1', 1, 'api', sha],
        ],
      );
    });

    it('without a configuration begins nothing, nor does one that leaves no job', async () => {
      const project = await bench.project();
      await bench.push(project, null, { files: { 'README.md': 'hello' } });
      await bench.push(project, 'test: { script: a, only: [tags] }\n');
      await bench.push(project, `workflow: { rules: [{ when: never }] }\n${ONE_JOB}`);
      assert.deepEqual(await bench.pipelines(project), []);
    });

    it('of a broken configuration leaves a failed pipeline that says why', async () => {
      const project = await bench.project();
      await bench.push(project, 'test: { stage: nowhere, script: a }\n');
      const [pipeline] = await bench.pipelines(project);
      assert.equal(pipeline?.status, 'failed');
      assert.match(pipeline?.yaml_errors ?? '', /chosen stage nowhere does not exist/);
      assert.notEqual(pipeline?.finished_at, null);
      const read = await bench.service.api('GET', `/projects/${project.id}/pipelines?yaml_errors=true`);
      assert.deepEqual(
        read.body.map((each: { id: number }) => each.id),
        [pipeline?.id],
      );
    });

    it('whose commit says so is skipped', async () => {
      const project = await bench.project();
      await bench.push(project, ONE_JOB, { message: 'Docs [Skip CI]\n\nnothing to see' });
      await bench.push(project, ONE_JOB, { message: 'Docs [ci-skip]', files: { b: '1' } });
      await bench.push(project, ONE_JOB, { message: 'skip ci', files: { b: '2' } });
      assert.deepEqual(
        (await shown(project)).map(([, , status]) => status),
        ['skipped', 'skipped', 'pending'],
      );
    });

    it('may say by its options that nothing is to run, and with which variables', async () => {
      const project = await bench.project();
      const sha = await bench.push(project, `${ONE_JOB}  rules: [{ if: $MODE == "fast" }]\n`);
      const push = async (ref: string, pushOptions: string[], more: object = {}) => {
        const origin = { userId: 1, via: 'push' as const, pushOptions, ...more };
        await bench.service.core.refUpdates.update(project, [{ ref: `refs/heads/${ref}`, new: sha }], origin);
        await bench.settled();
      };
      await push('a', ['ci.skip']);
      await push('b', ['ci.no_pipeline']);
      await push('c', ['ci.variable=MODE=fast', 'ci.variable=A-B=no', 'other']);
      await push('d', ['ci.variable=MODE=fast'], { firstRefs: ['refs/heads/a', 'refs/heads/c'] });
      assert.deepEqual(await shown(project), [
        ['a', 'push', 'skipped'],
        ['c', 'push', 'pending'],
      ]);
      const id = (await bench.pipelines(project)).at(-1)!.id;
      const variables = await bench.service.api('GET', `/projects/${project.id}/pipelines/${id}/variables`);
      assert.deepEqual(variables.body, [
        { variable_type: 'env_var', key: 'MODE', value: 'fast', raw: false },
      ]);
    });

    it('that is told of twice begins one pipeline', async () => {
      const project = await bench.project();
      const sha = await bench.push(project, ONE_JOB);
      const [first] = await bench.pipelines(project);
      const { core } = bench.service;
      const yaml = { read: () => assert.fail('read again') };
      const deps = { core, ports: { mergeRequests: {} }, yaml } as unknown as Parameters<
        typeof createPipelineFor
      >[0];
      const actor = { user: { id: 1 }, admin: true } as Parameters<typeof createPipelineFor>[1]['actor'];
      const again = await createPipelineFor(deps, {
        ...{ project, ref: 'main', tag: false, sha, source: 'push', actor },
        eventId: first!.event_id,
      });
      assert.ok('refused' in again && again.refused === 'done already');
      assert.equal((await bench.pipelines(project)).length, 1);
    });

    it('runs nothing where CI is off or the project is archived', async () => {
      const off = await bench.project({ builds_access_level: 'disabled' });
      await bench.push(off, ONE_JOB);
      assert.deepEqual(await bench.pipelines(off), []);
    });

    it('compares with what was there before, where rules ask what changed', async () => {
      const project = await bench.project();
      const config =
        'docs: { script: a, rules: [{ changes: ["docs/*"] }] }\ncode: { script: b, rules: [{ changes: ["src/**/*"] }] }\n';
      await bench.push(project, config, { files: { 'docs/a.md': '1' } });
      assert.deepEqual(Object.keys(await bench.jobs(project)).sort(), ['code', 'docs']);
      await bench.push(project, config, { files: { 'src/x/y.c': '1' } });
      assert.deepEqual(Object.keys(await bench.jobs(project)), ['code']);
    });

    it('takes the configuration from where the project says', async () => {
      const shared = await bench.project();
      await bench.push(shared, null, { files: { 'ci/all.yml': 'shared: { script: a }\n' } });
      const project = await bench.project({ ci_config_path: `ci/all.yml@${shared.full_path}` });
      await bench.push(project, ONE_JOB);
      assert.deepEqual(Object.keys(await bench.jobs(project)), ['shared']);
      const remote = await bench.project({ ci_config_path: 'https://example.com/ci.yml' });
      await bench.push(remote, ONE_JOB);
      assert.match(
        (await bench.pipelines(remote))[0]?.yaml_errors ?? '',
        /remote files are not allowed here/,
      );
    });
  });
}
