import type { IncomingHttpHeaders } from 'node:http';
import type { Core } from '../../core/core.ts';
import { tokenHash } from '../../core/tokens/secret.ts';
import { ApiError } from '../../platform/errors.ts';
import type { RawParams } from '../../platform/http/rack.ts';
import type { JobRow } from '../tables.ts';
import { type JobWithToken, jobWithTokenFinder, noteJobAlive, type RunnersJob } from './job-runs-store.ts';
import type { JobRunRow } from './tables.ts';

/** A running job is written as heard of at most this often; it counts as lost after an hour. */
const ALIVE_RESOLUTION_MS = 5 * 60_000;

/** As much of a call as the job's proof is in. */
export interface JobCall {
  headers: IncomingHttpHeaders;
  raw: RawParams;
}

/** A job that a runner speaks for. */
export type JobAtWork = RunnersJob & Pick<JobRunRow, 'refused_bytes'>;

/** Gives the job that a runner speaks for, running or cancelling. Throws the protocol's 403s. */
export type AuthenticateJob = (call: JobCall, id: number) => Promise<JobAtWork>;

/** For the routes by which runners tell of their jobs. */
export function jobAuthenticator(core: Pick<Core, 'db' | 'clock'>): AuthenticateJob {
  const prove = jobProver(core.db);
  return async (call, id) => atWork(core, await prove(call, id));
}

/** The job that was proven, heard of now; throws 403 where it is not running or cancelling. */
export async function atWork(
  { db, clock }: Pick<Core, 'db' | 'clock'>,
  proven: JobWithToken,
): Promise<JobAtWork> {
  const { token_hash: _secret, unconfirmed_since: _unconfirmed, ...job } = proven;
  if (job.status !== 'running' && job.status !== 'canceling') throw notAtWork(job);
  const now = clock.now();
  const before = now - ALIVE_RESOLUTION_MS;
  if (job.updated_at < before) await noteJobAlive(db, job.id, { now, before });
  return job;
}

/** The same for a job in any state that was not erased. */
export function jobProver(db: Core['db']): (call: JobCall, id: number) => Promise<JobWithToken> {
  const find = jobWithTokenFinder(db);
  return async (call, id) => {
    const [found] = Number.isSafeInteger(id) ? await find({ id }) : [];
    // A job that is not there, one of somebody else and a wrong token look the same.
    if (!found || tokenHash(tokenOf(call)) !== found.token_hash) throw new ApiError('forbidden');
    if (found.erased_at !== null) throw refusal(found, 'Job has been erased!');
    return found;
  };
}

function tokenOf({ headers, raw }: JobCall): string {
  const { token } = raw;
  if (typeof token === 'string' && token !== '') return token;
  const header = headers['job-token'];
  return typeof header === 'string' ? header : '';
}

export const notAtWork = (job: Pick<JobRow, 'status'>): ApiError =>
  refusal(job, 'Job is not processing on runner');

/** The header tells the runner why, and that it should let go. */
const refusal = (job: Pick<JobRow, 'status'>, reason: string): ApiError =>
  new ApiError('forbidden_reason', { reason }, { headers: { 'job-status': job.status } });
