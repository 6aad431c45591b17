import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NO_RUNNER, runnerBinary, type StockRunner } from '../support/gitlab-runner.ts';
import { startService, type TestService } from '../support/service.ts';
import { RunnerProject } from './support.ts';

/** The file cannot be packed: random bytes. */
const CONFIG = `
large:
  script:
    - echo it was made
    - head -c 3000000 /dev/urandom > large.bin
  artifacts: {paths: [large.bin]}
`;

const binary = await runnerBinary();

describe('artifacts of the stock runner that are too large', { skip: binary === null && NO_RUNNER }, () => {
  let service: TestService;
  let project: RunnerProject;
  let runner: StockRunner;

  before(async () => {
    service = await startService();
    project = await RunnerProject.make(service, 'large');
    await project.api('PUT', '', { body: { max_artifacts_size: 1 } });
    runner = await project.runner(binary!);
  });
  after(async () => {
    await runner.stop();
    await service.close();
  });

  it('fail their job, whose log arrives and says so', async () => {
    const sha = await project.push({ '.gitlab-ci.yml': CONFIG });
    const jobs = await project.jobs((await project.pipeline(sha)).id);
    const ended = await project.job(jobs.get('large')!.id, 'failed', 'success');
    assert.equal(ended.status, 'failed');
    const log = await project.log(ended.id);
    assert.match(log, /it was made/);
    assert.match(log, /413/, 'what the runner has to say of it');
    assert.match(log, /ERROR: An artifact was refused: it is larger than the limit of 1 MB\.[^\n]*\n$/);
    assert.ok(ended.failure_reason, 'the reason that the runner gives');
  });
});
