import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedCommit, seedMember, seedProject, seedUser } from '../../../../test/support/seed.ts';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { Level } from '../../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { endJob, seedJob, takeJob } from '../../artifacts/testing/running-job.ts';
import type { ArtifactsPlan, JobDefinition } from '../../config/plan.ts';
import type { NewPipeline } from '../../pipelines/pipelines.ts';
import { type JobSpec, seedPipeline } from '../../processing/testing.ts';
import { makeRunner, type TestRunner } from '../testing.ts';

const ARTIFACTS: ArtifactsPlan = {
  name: null,
  paths: [],
  exclude: [],
  untracked: false,
  when: 'on_success',
  expireIn: null,
  access: 'all',
  exposeAs: null,
  reports: [],
};

describe('what a runner is told to do', () => {
  let service: TestService;
  let project: ProjectWithNamespace;
  let runner: TestRunner;
  let first: string;
  let sha: string;

  before(async () => {
    service = await startService();
    project = await seedProject(service.core, 'told');
    first = await seedCommit(service.core, project, { branch: 'main', files: { lock: '1', other: '1' } });
    sha = await seedCommit(service.core, project, { branch: 'main', files: { 'later.txt': '2' } });
    runner = await makeRunner(service, {
      runner_type: 'project_type',
      project_id: project.id,
      description: 'R',
    });
  });
  after(() => service.close());

  const told = async (
    definition: Partial<JobDefinition>,
    pipeline: Partial<NewPipeline> = {},
    spec: JobSpec = {},
  ) => {
    const seeded = await seedPipeline(
      service.core,
      project,
      { build: { ...spec, definition } },
      { sha, ...pipeline },
    );
    const { status, body } = await runner.request();
    assert.equal(status, 201, `no job: ${status}`);
    assert.equal(body.id, (await seeded.job('build')).id);
    return body;
  };
  const change = (body: Record<string, unknown>) => service.api('PUT', `/projects/${project.id}`, { body });

  it('fetches the branch, the tag, or everything, by an address with the job’s token in it', async () => {
    const body = await told({});
    const own = `+refs/pipelines/${body.job_info.pipeline_id}:refs/pipelines/${body.job_info.pipeline_id}`;
    const url = new URL(service.baseUrl);
    assert.deepEqual(body.git_info, {
      repo_url: `http://gitlab-ci-token:${body.token}@${url.host}/root/told.git`,
      repo_object_format: 'sha1',
      ref: 'main',
      sha,
      before_sha: '0'.repeat(40),
      ref_type: 'branch',
      refspecs: [own, '+refs/heads/main:refs/remotes/origin/main'],
      depth: 20,
      protected: false,
    });
    const tag = await told({}, { ref: 'v1', tag: true });
    assert.deepEqual(tag.git_info.refspecs.slice(1), ['+refs/tags/v1:refs/tags/v1']);
    assert.equal(tag.git_info.ref_type, 'tag');
    await change({ ci_default_git_depth: 0, build_git_strategy: 'clone' });
    const whole = await told({});
    assert.deepEqual(whole.git_info.refspecs.slice(1), [
      '+refs/heads/*:refs/remotes/origin/*',
      '+refs/tags/*:refs/tags/*',
    ]);
    assert.deepEqual([whole.git_info.depth, whole.allow_git_fetch], [0, false]);
    await change({ ci_default_git_depth: 20, build_git_strategy: 'fetch' });
  });

  it('names the runner, the job and its secrets among the variables, each value a text', async () => {
    const body = await told({});
    const variables = body.variables as { key: string; value: string; public: boolean; masked: boolean }[];
    const one = (key: string) => variables.find((variable) => variable.key === key);
    assert.deepEqual(one('CI_JOB_TOKEN'), {
      key: 'CI_JOB_TOKEN',
      value: body.token,
      public: false,
      masked: true,
    });
    assert.equal(one('CI_JOB_ID')?.value, String(body.id));
    assert.equal(one('CI_RUNNER_DESCRIPTION')?.value, 'R');
    assert.equal(one('CI_COMMIT_SHA')?.value, sha);
    assert.ok(variables.every(({ value }) => typeof value === 'string'));
    assert.equal(new Set(variables.map(({ key }) => key)).size, variables.length);
  });

  it('replaces names within values, which the runner does once and no deeper', async () => {
    const kept = [
      { key: 'PACKAGE', value: '$OUT/pkg' },
      { key: 'OUT', value: '/srv/$CI_PROJECT_NAME' },
      { key: 'WRITTEN', value: '$OUT', raw: true },
    ];
    const path = `/projects/${project.id}/variables`;
    for (const body of kept) await service.api('POST', path, { body });
    const variables = (await told({})).variables as { key: string; value: string }[];
    const values = kept.map(({ key }) => variables.find((variable) => variable.key === key)?.value);
    assert.deepEqual(values, ['/srv/told/pkg', '/srv/told', '$OUT']);
    for (const { key } of kept) await service.api('DELETE', `${path}/${key}`);
  });

  it('has the shorter of the patiences of job, project and runner', async () => {
    await change({ build_timeout: 1200 });
    assert.equal((await told({})).runner_info.timeout, 1200);
    const steps = (await told({ afterScript: ['bye'] }, {}, {})).steps;
    assert.deepEqual(
      steps.map(({ name, timeout, when, allow_failure }: Record<string, unknown>) => [
        name,
        timeout,
        when,
        allow_failure,
      ]),
      [
        ['script', 1200, 'on_success', false],
        ['after_script', 1200, 'always', true],
      ],
    );
    await service.api('PUT', `/runners/${runner.id}`, { body: { maximum_timeout: 700 } });
    assert.equal((await told({})).runner_info.timeout, 700);
    await service.api('PUT', `/runners/${runner.id}`, { body: { maximum_timeout: null } });
    await change({ build_timeout: 3600 });
  });

  it('releases by a command in which the shell fills in variables and nothing else', async () => {
    const release = { tagName: '$CI_COMMIT_TAG', description: 'a "b" `c` $(d) \\e', name: null, ref: null };
    const { steps } = await told({ release });
    assert.equal(
      steps[1].script[0],
      'release-cli create --description "a \\"b\\" \\`c\\` \\$(d) \\\\e" --tag-name "$CI_COMMIT_TAG"',
    );
  });

  it('says what to upload: the archive, then each report under its name', async () => {
    assert.equal((await told({})).artifacts, null);
    assert.equal((await told({ artifacts: ARTIFACTS })).artifacts, null);
    const reports = [
      { type: 'junit', paths: ['a.xml'] },
      { type: 'sast', paths: ['b.json'] },
    ];
    const artifacts = { ...ARTIFACTS, paths: ['out'], exclude: ['out/x'], expireIn: '1 day', reports };
    assert.deepEqual((await told({ artifacts })).artifacts, [
      {
        untracked: false,
        paths: ['out'],
        exclude: ['out/x'],
        when: 'on_success',
        expire_in: '1 day',
        artifact_type: 'archive',
        artifact_format: 'zip',
      },
      {
        name: 'junit.xml',
        paths: ['a.xml'],
        when: 'always',
        expire_in: '1 day',
        artifact_type: 'junit',
        artifact_format: 'gzip',
      },
      {
        name: 'gl-sast-report.json',
        paths: ['b.json'],
        when: 'always',
        expire_in: '1 day',
        artifact_type: 'sast',
        artifact_format: 'raw',
      },
    ]);
  });

  it('keeps caches of protected refs apart, and knows when the files of a key have changed', async () => {
    const cache = (key: JobDefinition['cache'][number]['key'], unprotect = false) => ({
      key,
      paths: ['x'],
      untracked: false,
      policy: 'pull-push',
      when: 'on_success',
      fallbackKeys: ['old'],
      unprotect,
    });
    const files = { files: ['lock'], prefix: 'p' };
    const keys = async (...definition: JobDefinition['cache']) =>
      (await told({ cache: definition })).cache.map(({ key }: { key: string }) => key);
    const [plain, unprotected, byFile, missing] = await keys(
      cache('deps'),
      cache('deps', true),
      cache(files),
      cache({ files: ['none'], prefix: null }),
    );
    assert.deepEqual(
      [plain, unprotected, missing],
      ['deps-non_protected', 'deps-non_protected', 'default-non_protected'],
    );
    assert.match(byFile, /^p-[0-9a-f]{40}-non_protected$/);
    const again = await told({ cache: [cache(files)] }, { sha: first });
    assert.equal(again.cache[0].key, byFile);
    assert.deepEqual(again.cache[0].fallback_keys, ['old-non_protected']);
    sha = await seedCommit(service.core, project, { branch: 'main', files: { lock: '2' } });
    assert.notEqual((await keys(cache(files)))[0], byFile);
  });

  it('passes images and services on as they are, lists or null', async () => {
    const image = {
      name: 'ruby',
      alias: null,
      entrypoint: [''],
      command: null,
      pullPolicy: ['always'],
      variables: [{ key: 'A', value: 'b', raw: false }],
      docker: { platform: 'linux/arm64' },
    };
    const body = await told({ image, services: [{ ...image, alias: 'db', docker: null }] });
    assert.deepEqual(body.image, {
      name: 'ruby',
      alias: null,
      entrypoint: [''],
      command: null,
      ports: [],
      pull_policy: ['always'],
      executor_opts: { docker: { platform: 'linux/arm64' } },
      variables: [{ key: 'A', value: 'b', raw: false, public: true }],
    });
    assert.deepEqual([body.services[0].alias, body.services[0].executor_opts], ['db', {}]);
  });

  it('fetches the files of earlier stages, of what it needs, or of those it names', async () => {
    const names = ({ dependencies }: { dependencies: { name: string }[] }) =>
      dependencies.map(({ name }) => name);
    const run = async (spec: JobSpec) => {
      const pipeline = await seedPipeline(
        service.core,
        project,
        { one: {}, two: {}, last: { stage: 1, ...spec } },
        { sha },
      );
      for (const name of ['one', 'two']) {
        const { job } = await takeJob(service.core, pipeline, name);
        await endJob(service.core, job.id);
      }
      const { body } = await runner.request();
      assert.equal(body.job_info.name, 'last');
      return body;
    };
    assert.deepEqual(names(await run({})), ['one', 'two']);
    assert.deepEqual(names(await run({ needs: ['two'] })), ['two']);
    assert.deepEqual(names(await run({ definition: { dependencies: [] } })), []);
    const named = await run({ definition: { dependencies: ['one'] } });
    assert.deepEqual(
      named.dependencies.map(({ name, token }: { name: string; token: string }) => [name, token]),
      [['one', named.token]],
    );
  });

  it('fetches the artifacts of other projects where its user may read them, and fails without', async () => {
    const ann = await seedUser(service.core, 'ann');
    await seedMember(service.core, project, ann.user, Level.developer);
    const lender = await seedProject(service.core, 'lender');
    const lent = await seedJob(service.core, lender, { name: 'make' });
    const uploaded = await service.api('POST', `/jobs/${lent.job.id}/artifacts`, {
      token: null,
      headers: { 'job-token': lent.token, 'content-type': 'multipart/form-data; boundary=x' },
      payload: `--x\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n${EMPTY_ZIP}\r\n--x--\r\n`,
    });
    assert.equal(uploaded.status, 201, uploaded.text);
    await endJob(service.core, lent.job.id);
    const need = { job: 'make', project: 'root/lender', pipeline: null, artifacts: true };
    const ask = async (userId: number, ref: string) => {
      const build = { definition: { crossNeeds: [{ ...need, ref }] } };
      const seeded = await seedPipeline(service.core, project, { build }, { sha, userId });
      const { status, body } = await runner.request();
      const { failure_reason: reason } = await seeded.job('build');
      return [status, reason, body?.dependencies.map(({ id }: { id: number }) => id)];
    };
    assert.deepEqual(await ask(1, 'main'), [201, null, [lent.job.id]]);
    const missing = [204, 'missing_dependency_failure', undefined];
    assert.deepEqual(await ask(1, 'nowhere'), missing);
    assert.deepEqual(await ask(ann.user.id, 'main'), missing);
  });
});

/** The end of a zip with nothing before it. */
const EMPTY_ZIP = `PK\x05\x06${'\0'.repeat(18)}`;
