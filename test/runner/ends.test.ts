import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LostJobs } from '../../src/jobs/processing/lost-jobs.ts';
import { NO_RUNNER, runnerBinary, type StockRunner, startRunner } from '../support/gitlab-runner.ts';
import { startService, type TestService } from '../support/service.ts';
import { RunnerProject, until } from './support.ts';

/**
 * Jobs write into `$NOTES`, a folder of the test: what becomes of their scripts is seen there. The slow one keeps talking: a runner
 * learns that its job is cancelled when it sends a piece of the log, else only every half minute.
 */
const CONFIG = `
slow:
  script:
    - echo $$ > $NOTES/slow.pid
    - while true; do echo at work; sleep 0.5; done
  after_script: [touch $NOTES/slow.after]
flaky:
  script:
    - test -e $NOTES/flaky || { touch $NOTES/flaky; exit 7; }
    - echo better now
lost:
  script:
    - echo $$ > $NOTES/lost.pid
    - test -e $NOTES/lost || { touch $NOTES/lost; sleep 300; }
`;

const binary = await runnerBinary();

describe('jobs of the stock runner that end otherwise', { skip: binary === null && NO_RUNNER }, () => {
  let service: TestService;
  let notes: string;
  let project: RunnerProject;
  let runner: StockRunner;
  let ids: Record<'slow' | 'flaky' | 'lost', number>;

  before(async () => {
    service = await startService();
    notes = await mkdtemp(join(tmpdir(), 'ingot-notes-'));
    project = await RunnerProject.make(service, 'ends');
    await project.api('POST', '/variables', { body: { key: 'NOTES', value: notes } });
    runner = await project.runner(binary!);
    const sha = await project.push({ '.gitlab-ci.yml': CONFIG });
    const jobs = await project.jobs((await project.pipeline(sha)).id);
    const id = (name: string) => jobs.get(name)?.id ?? assert.fail(`no job ${name}`);
    ids = { slow: id('slow'), flaky: id('flaky'), lost: id('lost') };
  });
  after(async () => {
    await runner.stop();
    await service.close();
    await rm(notes, { recursive: true, force: true });
  });

  const noted = (name: string): Promise<string> =>
    until(`the note ${name}`, async () =>
      readFile(join(notes, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      }),
    );
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false; // no such process, which is the answer
    }
  };

  it('ends the script of a cancelled job, and lets it clean up', async () => {
    const pid = Number(await noted('slow.pid'));
    await until('a first line of the log', async () =>
      (await project.log(ids.slow)).includes('at work') ? true : null,
    );
    assert.ok(isAlive(pid));
    const { status } = await project.api('POST', `/jobs/${ids.slow}/cancel`);
    assert.equal(status, 201);
    await project.job(ids.slow, 'canceled');
    await noted('slow.after');
    assert.ok(!isAlive(pid));
  });

  it('does a failed job again, as another job', async () => {
    const failed = await project.job(ids.flaky, 'failed');
    assert.equal(failed.failure_reason, 'script_failure');
    const { body } = await project.api('POST', `/jobs/${ids.flaky}/retry`);
    assert.notEqual(body.id, ids.flaky);
    await project.job(body.id, 'success');
    assert.match(await project.log(body.id), /better now/);
    assert.match(await project.log(ids.flaky), /exit (code|status) 7/);
  });

  it('fails a job whose runner was killed, once nothing is heard for an hour, and goes on with another runner', async () => {
    const pid = Number(await noted('lost.pid'));
    await runner.kill();
    process.kill(pid, 'SIGKILL');
    await project.job(ids.lost, 'running');
    const { core } = service;
    await new LostJobs({ ...core, clock: { now: () => core.clock.now() + 2 * 3600_000 } }).run();
    const lost = await project.job(ids.lost, 'failed');
    assert.equal(lost.failure_reason, 'stuck_or_timeout_failure');
    const { runners_token: token } = (await project.api('GET', '')).body;
    runner = await startRunner(binary!, { url: service.baseUrl, token });
    const { body } = await project.api('POST', `/jobs/${ids.lost}/retry`);
    const done = await project.job(body.id, 'success');
    assert.notEqual(done.runner?.id, lost.runner?.id);
  });
});
