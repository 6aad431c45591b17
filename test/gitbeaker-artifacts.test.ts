import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitbeakerRequestError, Gitlab } from '@gitbeaker/rest';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { endJob, type RunningJob, seedJob } from '../src/jobs/artifacts/testing/running-job.ts';
import { upload, zipOf } from '../src/jobs/artifacts/testing/upload.ts';
import { seedProject } from './support/seed.ts';
import { startService, type TestService } from './support/service.ts';

/** A real client over a real port: what it sends, and what it makes of the answers. */
describe('gitbeaker on artifacts and logs', () => {
  let service: TestService;
  let project: ProjectWithNamespace;
  let made: RunningJob;
  let archive: Buffer;
  let client: InstanceType<typeof Gitlab<false>>;

  before(async () => {
    service = await startService();
    project = await seedProject(service.core, 'made');
    client = new Gitlab({ host: service.baseUrl, token: service.rootToken });
    archive = await zipOf({ 'dist/out file.bin': Buffer.from([0, 255, 1, 254]), 'notes.txt': 'noted\n' });
    made = await seedJob(service.core, project, { name: 'pack' }, { ref: 'feat/x' });
    assert.equal((await upload(service, made, archive, { query: { expire_in: '1 week' } })).status, 201);
    const sent = await service.api('PATCH', `/jobs/${made.job.id}/trace`, {
      token: null,
      payload: 'the log\n',
      headers: { 'job-token': made.token, 'content-type': 'text/plain', 'content-range': '0-7' },
    });
    assert.equal(sent.status, 202);
    await endJob(service.core, made.job.id);
  });
  after(() => service.close());

  const bytesOf = async (answer: unknown) => {
    assert.ok(answer instanceof Blob, `not a file: ${JSON.stringify(answer)}`);
    return Buffer.from(await answer.arrayBuffer());
  };

  it('reads the log', async () => {
    assert.equal(await client.Jobs.showLog(project.id, made.job.id), 'the log\n');
  });

  it('fetches archives and single files by job', async () => {
    const { id: jobId } = made.job;
    assert.deepEqual(
      await bytesOf(await client.JobArtifacts.downloadArchive(project.id, { jobId })),
      archive,
    );
    const file = await client.JobArtifacts.downloadArchive(project.id, {
      jobId,
      artifactPath: 'dist/out file.bin',
    });
    assert.deepEqual(await bytesOf(file), Buffer.from([0, 255, 1, 254]));
    const text: unknown = await client.JobArtifacts.downloadArchive(project.id, {
      jobId,
      artifactPath: 'notes.txt',
    });
    assert.equal(text, 'noted\n');
  });

  it('fetches archives and single files by branch', async () => {
    const at = { ref: 'feat/x', job: 'pack' };
    assert.deepEqual(await bytesOf(await client.JobArtifacts.downloadArchive(project.id, at)), archive);
    const file = await client.JobArtifacts.downloadArchive(project.id, {
      ...at,
      artifactPath: 'dist/out file.bin',
    });
    assert.deepEqual(await bytesOf(file), Buffer.from([0, 255, 1, 254]));
  });

  it('keeps and removes them', async () => {
    const kept = await client.JobArtifacts.keep(project.id, made.job.id);
    assert.equal(kept.artifacts_expire_at, null);
    await client.JobArtifacts.remove(project.id, { jobId: made.job.id });
    await assert.rejects(
      client.JobArtifacts.downloadArchive(project.id, { jobId: made.job.id }),
      (error) => error instanceof GitbeakerRequestError && error.cause?.response.status === 404,
    );
    assert.equal(await client.Jobs.showLog(project.id, made.job.id), 'the log\n', 'the log stays');
  });
});
