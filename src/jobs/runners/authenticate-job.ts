import type { IncomingHttpHeaders } from 'node:http';
import type { Core } from '../../core/core.ts';
import { tokenHash } from '../../core/tokens/secret.ts';
import { ApiError } from '../../platform/errors.ts';
import type { RawParams } from '../../platform/http/rack.ts';
import type { JobRow } from '../tables.ts';
import { jobWithTokenFinder, noteJobAlive } from './job-runs-store.ts';

/** A running job is written as heard of at most this often; it counts as lost after an hour. */
const ALIVE_RESOLUTION_MS = 5 * 60_000;

/** As much of a call as the job's proof is in. */
export interface JobCall {
  headers: IncomingHttpHeaders;
  raw: RawParams;
}

/** Gives the job that a runner speaks for, running or cancelling. Throws the protocol's 403s. */
export type AuthenticateJob = (call: JobCall, id: number) => Promise<JobRow>;

/** For the routes by which runners tell of their jobs. */
export function jobAuthenticator({ db, clock }: Pick<Core, 'db' | 'clock'>): AuthenticateJob {
  const find = jobWithTokenFinder(db);
  return async (call, id) => {
    const [found] = Number.isSafeInteger(id) ? await find({ id }) : [];
    // A job that is not there, one of somebody else and a wrong token look the same.
    if (!found || tokenHash(tokenOf(call)) !== found.token_hash) throw new ApiError('forbidden');
    const { token_hash: _secret, ...job } = found;
    demandWork(job);
    const now = clock.now();
    const before = now - ALIVE_RESOLUTION_MS;
    if (job.updated_at < before) await noteJobAlive(db, job.id, { now, before });
    return job;
  };
}

function tokenOf({ headers, raw }: JobCall): string {
  const { token } = raw;
  if (typeof token === 'string' && token !== '') return token;
  const header = headers['job-token'];
  return typeof header === 'string' ? header : '';
}

/** The header tells the runner why, and that it should let go. */
function demandWork(job: JobRow): void {
  const headers = { 'job-status': job.status };
  if (job.erased_at !== null) {
    throw new ApiError('forbidden_reason', { reason: 'Job has been erased!' }, { headers });
  }
  if (job.status === 'running' || job.status === 'canceling') return;
  throw new ApiError('forbidden_reason', { reason: 'Job is not processing on runner' }, { headers });
}
