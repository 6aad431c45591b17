import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NO_RUNNER, runnerBinary, type StockRunner } from '../support/gitlab-runner.ts';
import { startService, type TestService } from '../support/service.ts';
import { RunnerProject, type ShownJob, until } from './support.ts';

const SECRET = 'do-not-show-me-42';

const CONFIG = `
stages: [build, test, deploy]
build:
  stage: build
  before_script: [mkdir -p out .cache]
  script:
    - echo "made by $CI_JOB_NAME of $CI_PROJECT_PATH" > out/file.txt
    - echo kept > .cache/value
    - echo "VERSION=1.2.3" > build.env
    - echo "the secret is $SECRET"
  artifacts:
    paths: [out/]
    reports: { dotenv: build.env }
  cache: { key: deps, paths: [.cache/] }
unit:
  stage: test
  needs: [build]
  cache: { key: deps, paths: [.cache/], policy: pull }
  script:
    - cat out/file.txt .cache/value
    - echo "version $VERSION"
    - 'echo "Coverage 81.5%"'
  coverage: '/Coverage \\d+\\.\\d+%/'
  artifacts: { reports: { junit: report.xml } }
lint:
  stage: test
  script: exit 3
  after_script: [echo cleaned up]
  allow_failure: { exit_codes: 3 }
big:
  stage: test
  needs: []
  script: [head -c 7900000 /dev/zero | base64 -w 99, echo the end]
modules:
  stage: test
  variables: { GIT_SUBMODULE_STRATEGY: recursive }
  script: cat vendor/lib.txt
child:
  stage: deploy
  trigger: { include: child.yml, strategy: depend }
release:
  stage: deploy
  when: manual
  script: [cat out/file.txt, 'echo "played with $PLAYED"']
`;

const CHILD = `
inner:
  script: echo "child of $CI_PIPELINE_SOURCE"
`;

const REPORT = `<testsuite name="unit" tests="2" failures="1" time="0.5">
  <testcase classname="math" name="adds" time="0.2"/>
  <testcase classname="math" name="divides" time="0.3"><failure>by zero</failure></testcase>
</testsuite>`;

const binary = await runnerBinary();

describe('a pipeline that the stock runner does', { skip: binary === null && NO_RUNNER }, () => {
  let service: TestService;
  let project: RunnerProject;
  let library: RunnerProject;
  let runner: StockRunner | null = null;
  let pipelineId: number;
  let jobs: Map<string, ShownJob>;

  before(async () => {
    service = await startService();
    library = await RunnerProject.make(service, 'library');
    const librarySha = await library.push({ 'lib.txt': 'from the library\n' });
    project = await RunnerProject.make(service, 'app');
    await library.api('POST', '/job_token_scope/allowlist', { body: { target_project_id: project.id } });
    await project.api('POST', '/variables', { body: { key: 'SECRET', value: SECRET, masked: true } });
    const modules = '[submodule "vendor"]\n\tpath = vendor\n\turl = ../library.git\n';
    const files = {
      '.gitlab-ci.yml': CONFIG,
      'child.yml': CHILD,
      'report.xml': REPORT,
      '.gitmodules': modules,
    };
    const sha = await project.push(files, async (git) => {
      await git('update-index', '--add', '--cacheinfo', `160000,${librarySha},vendor`);
    });
    const pipeline = await project.pipeline(sha);
    assert.equal(pipeline.yaml_errors, null);
    pipelineId = pipeline.id;
    runner = await project.runner(binary!, ['--output-limit', '20000']);
    await project.ended(pipelineId, 'success', 'failed', 'canceled', 'skipped');
    jobs = await project.jobs(pipelineId);
  });
  after(async () => {
    await runner?.stop();
    await service.close();
  });

  const job = (name: string): ShownJob => jobs.get(name) ?? assert.fail(`no job ${name}`);
  const log = (name: string) => project.log(job(name).id);

  it('succeeds, with a failure that is allowed', async () => {
    const states = Object.fromEntries([...jobs].map(([name, { status }]) => [name, status]));
    assert.deepEqual(
      states,
      {
        build: 'success',
        unit: 'success',
        lint: 'failed',
        big: 'success',
        modules: 'success',
        release: 'manual',
      },
      runner?.output() ?? 'no runner',
    );
    assert.equal((await project.ended(pipelineId, 'success')).status, 'success');
    assert.match(await log('lint'), /cleaned up[\s\S]*exit (code|status) 3/);
  });

  it('hands on artifacts, caches and variables', async () => {
    const text = await log('unit');
    assert.match(text, /made by build of root\/app\s+kept/);
    assert.match(text, /version 1\.2\.3/);
    const file = await project.api('GET', `/jobs/${job('build').id}/artifacts/out/file.txt`);
    assert.equal(file.text, 'made by build of root/app\n');
    const byRef = await project.api('GET', '/jobs/artifacts/main/raw/out/file.txt', {
      query: { job: 'build' },
    });
    assert.equal(byRef.text, 'made by build of root/app\n');
  });

  it('reads coverage and the report of the tests', async () => {
    const unit = await until('the coverage', async () => {
      const { body } = await project.api('GET', `/jobs/${job('unit').id}`);
      return body.coverage === null ? null : body;
    });
    assert.equal(unit.coverage, 81.5);
    const { body } = await project.api('GET', `/pipelines/${pipelineId}/test_report`);
    assert.deepEqual(
      [body.total_count, body.success_count, body.failed_count, body.test_suites[0].name],
      [2, 1, 1, 'unit'],
    );
  });

  it('shows no masked variable', async () => {
    const text = await log('build');
    assert.match(text, /the secret is (\[MASKED\]|x+)/);
    assert.ok(!text.includes(SECRET));
  });

  it('keeps a log of ten megabytes to its last line', async () => {
    const text = await log('big');
    assert.ok(text.length > 10 * 1024 * 1024, `only ${text.length}`);
    assert.match(text.slice(-500), /the end[\s\S]*Job succeeded/);
    assert.equal(text.match(/^A{99}$/gm)?.length, 106_397);
  });

  it('fetches submodules of a private project that lets its jobs in', async () => {
    assert.match(await log('modules'), /from the library/);
  });

  it('waits for the pipeline that a job of it began', async () => {
    const { body } = await project.api('GET', `/pipelines/${pipelineId}/bridges`);
    const [{ name, status, downstream_pipeline: child }] = body;
    assert.deepEqual(
      [name, status, child.status, child.source],
      ['child', 'success', 'success', 'parent_pipeline'],
    );
    const inner = (await project.jobs(child.id)).get('inner')!;
    assert.match(await project.log(inner.id), /child of parent_pipeline/);
  });

  it('does a manual job when somebody plays it', async () => {
    const { id } = job('release');
    const variables = [{ key: 'PLAYED', value: 'care' }];
    const played = await project.api('POST', `/jobs/${id}/play`, {
      body: { job_variables_attributes: variables },
    });
    assert.equal(played.status, 200);
    await project.job(id, 'success', 'failed');
    assert.match(await project.log(id), /made by build[\s\S]*played with care/);
  });

  it('leaves no token that still opens anything', async () => {
    const rows = await service.core.db.selectFrom('job_tokens').selectAll().execute();
    assert.deepEqual(rows, []);
  });
});
