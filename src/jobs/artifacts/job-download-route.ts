import type { Caller } from '../../core/caller.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import type { GuardCall } from '../../platform/http/route.ts';
import { findJobById } from '../processing/store.ts';
import type { JobRow } from '../tables.ts';
import { type ReadDeps, sendArchive } from './read-artifact.ts';

/** `GET /jobs/:id/artifacts`: how a runner fetches what earlier jobs have made, with the token of the job that it runs. */
export function jobDownloadRoute(api: CoreApi, core: Core, deps: ReadDeps): void {
  api.room('runners').get('/jobs/:id/artifacts', {
    summary: 'The artifacts of a job, for another job that is running',
    params: params({
      id: param.integer(),
      token: optional(param.string({ description: 'Of a running job; `JOB-TOKEN` as a header.' })),
      direct_download: optional(
        param.boolean({ description: 'Accepted, without effect: the bytes come from here.' }),
      ),
    }),
    responses: { 200: null, 206: null },
    jobToken: true,
    guard: (call) => findAsJob(core, call),
    handler: (call) => sendArchive(deps, call.guarded.job, call.guarded, call),
  });
}

/** Throws 403 for whoever is no job, and for a job that is not there as well as for one that the caller's user may not read. */
async function findAsJob(core: Core, call: GuardCall<Caller>): Promise<InProject & { job: JobRow }> {
  if (call.caller.job === null) throw fail.forbidden();
  const id = Number(call.path['id']);
  const job = Number.isSafeInteger(id) ? await findJobById(core.db, id) : undefined;
  if (!job) throw fail.forbidden();
  try {
    const place = { ...call, path: { id: String(job.project_id) } };
    return { ...(await core.guards.project('read_build')(place)), job };
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? fail.forbidden() : error;
  }
}
