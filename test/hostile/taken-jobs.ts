import { FORM_TYPE, formOf, zipOf } from '../../src/jobs/artifacts/testing/upload.ts';
import { makeRunner } from '../../src/jobs/runners/testing.ts';
import type { Maker } from './thing.ts';

/** What the jobs of a world make, and where. */
export const ARTIFACT = 'out/made.txt';
const LOG = 'made\n';

interface Taken {
  id: number;
  token: string;
}

/** A job that waits for somebody to begin it. */
export async function manualJob(world: Maker): Promise<{ id: number }> {
  const { id } = await world.send('POST', '/projects/:id/pipeline', { ref: 'feature' });
  const [manual] = await world.send('GET', `/projects/:id/pipelines/${id}/jobs?scope=manual`);
  return manual;
}

/** A job that a runner has at work until somebody ends it. */
export async function runningJob(world: Maker): Promise<Taken> {
  const { id } = await manualJob(world);
  await world.send('POST', `/projects/:id/jobs/${id}/play`);
  return take(world, { tag_list: ['deploy'], run_untagged: false });
}

/** A job that has ended well and left a log and an archive behind. */
export async function doneJob(world: Maker): Promise<Taken> {
  await world.send('POST', '/projects/:id/pipeline', { ref: 'feature' });
  const job = await take(world, {});
  const calls = [
    send(world, job, `PATCH /jobs/${job.id}/trace`, {
      payload: LOG,
      headers: { 'content-type': 'text/plain', 'content-range': `0-${LOG.length - 1}` },
    }),
    send(world, job, `POST /jobs/${job.id}/artifacts`, {
      payload: formOf(await zipOf({ [ARTIFACT]: 'x' })),
      headers: { 'content-type': FORM_TYPE },
    }),
  ];
  await Promise.all(calls);
  await send(world, job, `PUT /jobs/${job.id}`, { body: { state: 'success' } });
  return job;
}

async function take(world: Maker, fields: Record<string, unknown>): Promise<Taken> {
  const place = { runner_type: 'project_type', project_id: Number(world.get('/projects/:id')) };
  const runner = await makeRunner(world, { ...place, ...fields });
  const { status, body, text } = await runner.request();
  if (status !== 201) throw new Error(`no job for a runner: ${status} ${text}`);
  return { id: body.id, token: body.token };
}

interface Said {
  payload?: string | Buffer;
  body?: object;
  headers?: Record<string, string>;
}

async function send(world: Maker, { token }: Taken, call: string, said: Said): Promise<void> {
  const [method = '', path = ''] = call.split(' ');
  const headers = { ...said.headers, 'job-token': token };
  const { status, text } = await world.api(method, path, { ...said, token: null, headers });
  if (status >= 300) throw new Error(`${call}: ${status} ${text}`);
}
