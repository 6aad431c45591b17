import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitbeakerRequestError, Gitlab } from '@gitbeaker/rest';
import { Level } from '../src/core/access/levels.ts';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { seedPipeline } from '../src/jobs/processing/testing.ts';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from './support/seed.ts';
import { startService, type TestService } from './support/service.ts';

/** A real client over a real port: what it sends, and what it makes of the answers. */
describe('gitbeaker on jobs', () => {
  let service: TestService;
  let project: ProjectWithNamespace;
  let sha: string;
  let dev: Person;
  let client: InstanceType<typeof Gitlab<false>>;

  before(async () => {
    service = await startService();
    dev = await seedUser(service.core, 'dev');
    project = await seedProject(service.core, 'p');
    await seedMember(service.core, project, dev.user, Level.developer);
    sha = await seedCommit(service.core, project, { branch: 'main', files: { a: '1' }, message: 'First\n' });
    client = new Gitlab({ host: service.baseUrl, token: dev.token });
  });
  after(() => service.close());

  it('lists, by offset and by position, and reads', async () => {
    const seeded = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`job ${n}`, {}]));
    const pipeline = await seedPipeline(service.core, project, seeded, { sha });
    await pipeline.run('job 0');
    const all = await client.Jobs.all(project.id, { perPage: 2 });
    assert.deepEqual(
      all.map(({ name }) => name),
      ['job 4', 'job 3', 'job 2', 'job 1', 'job 0'],
    );
    const byPosition = await client.Jobs.all<false, 'keyset'>(project.id, {
      pagination: 'keyset',
      perPage: 2,
    });
    assert.deepEqual(
      byPosition.map(({ id }) => id),
      all.map(({ id }) => id),
    );
    const running = await client.Jobs.all(project.id, { pipelineId: pipeline.id, scope: 'running' });
    assert.deepEqual(
      running.map(({ name, status }) => [name, status]),
      [['job 0', 'running']],
    );
    const job = await client.Jobs.show(project.id, running[0]!.id);
    assert.deepEqual([job.commit.id, job.commit.title, job.pipeline.id], [sha, 'First', pipeline.id]);
    assert.equal(job.user.created_at, running[0]!.user.created_at);
  });

  it('cancels, retries and plays', async () => {
    const pipeline = await seedPipeline(
      service.core,
      project,
      { build: {}, ask: { when: 'manual' } },
      { sha },
    );
    const { id } = await pipeline.job('build');
    const canceled = await client.Jobs.cancel(project.id, id);
    assert.deepEqual([canceled.status, canceled.finished_at], ['canceled', null]);
    const again = await client.Jobs.retry(project.id, id);
    assert.notEqual(again.id, id);
    assert.deepEqual([again.status, again.started_at], ['pending', null]);
    const played = await client.Jobs.play(project.id, (await pipeline.job('ask')).id, {
      jobVariablesAttributes: [{ key: 'TARGET', value: 'moon' }],
    });
    assert.equal(played.status, 'started');
  });

  it('is told why not', async () => {
    const pipeline = await seedPipeline(service.core, project, { build: {} }, { sha, userId: dev.user.id });
    const { id } = await pipeline.job('build');
    for (const [work, description] of [
      [client.Jobs.retry(project.id, id), '403 Forbidden - Job is not retryable'],
      [client.Jobs.erase(project.id, id), '403 Forbidden - Job is not erasable!'],
    ] as const) {
      const error = await work.catch((thrown: unknown) => thrown);
      assert.ok(error instanceof GitbeakerRequestError);
      assert.deepEqual([error.cause?.response.status, error.cause?.description], [403, description]);
    }
  });
});
