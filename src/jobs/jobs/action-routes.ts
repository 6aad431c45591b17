import type { Caller } from '../../core/caller.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { eraseJob } from '../artifacts/erase-job.ts';
import { artifactsOf } from '../artifacts/store.ts';
import { Bridge, type BridgeEntity, presentBridges } from '../bridges/entity.ts';
import type { ConfigVariable } from '../config/plan.ts';
import { cancelByForce, cancelJob } from '../processing/cancel-job.ts';
import { withJob } from '../processing/locked-job.ts';
import { isPlayable, playJob } from '../processing/play-job.ts';
import { isRetryable, retryJob } from '../processing/retry-job.ts';
import { isComplete } from '../states.ts';
import type { JobKind, JobRow } from '../tables.ts';
import { findTrace } from '../traces/store.ts';
import { Job, type JobEntity } from './entity.ts';
import { type JobPlace, presentJob, withDownloadUrl } from './present.ts';
import { demandEraseRight, demandJobRight } from './rights.ts';
import { findJob, markErased } from './store.ts';

const one = { id: param.string(), job_id: param.integer() };

const Variable = Type.Object({ key: param.string(), value: param.string() });

const variables = Type.Optional(
  param.list(Variable, { description: 'Variables for this run alone: `{"key": …, "value": …}` each.' }),
);

/** What people do to jobs. */
export function jobActionRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('jobs');
  const { database, db } = core;

  const find = async ({ project }: InProject, jobId: number, kinds: JobKind[] = ['build', 'bridge']) => {
    const job = await findJob(db, { projectId: project.id, jobId, kinds });
    if (!job) throw fail.recordNotFound();
    return job;
  };

  routes.post('/projects/:id/jobs/:job_id/cancel', {
    summary: 'Cancel a job',
    description:
      'A job that has ended stays as it is. The answer says `canceled` without an end; while a runner that can ends the script first, the job itself is `canceling`.',
    params: params({
      ...one,
      force: withDefault(
        param.boolean({ description: 'End one that is `canceling` without its runner; for maintainers.' }),
        false,
      ),
    }),
    responses: { 201: Job },
    guard: core.guards.project('update_build'),
    handler: async ({ guarded, params: { job_id, force }, baseUrl }) => {
      const job = await find(guarded, job_id, ['build']);
      await demandJobRight(core, guarded, job);
      if (force) guarded.access.demand('admin_build');
      const done = await withJob(database, job.id, async (tx, locked) => {
        const cancel = force && locked.status === 'canceling' ? cancelByForce : cancelJob;
        return { canceled: !isComplete(locked.status), job: await cancel(tx, core, locked) };
      });
      if (!done) throw fail.recordNotFound();
      const entity = await presentJob(core, { project: guarded.project, baseUrl }, done.job);
      return done.canceled ? { ...entity, status: 'canceled', finished_at: null } : entity;
    },
  });

  routes.post('/projects/:id/jobs/:job_id/retry', {
    summary: 'Begin a job again, as a new one',
    params: params({ ...one, job_variables_attributes: variables }),
    responses: { 201: Type.Union([Job, Bridge]) },
    guard: core.guards.project('update_build'),
    handler: async ({ guarded, params: asked, caller, baseUrl }) => {
      const job = await find(guarded, asked.job_id);
      await demandJobRight(core, guarded, job);
      const options = { userId: caller.user.id, variables: configured(asked.job_variables_attributes) };
      const made = await withJob(database, job.id, (tx, locked) => {
        if (!isRetryable(locked)) throw fail.forbidden('Job is not retryable');
        return retryJob(tx, core, locked, options);
      });
      if (!made) throw fail.recordNotFound();
      return presentEither(core, { project: guarded.project, baseUrl, caller }, made);
    },
  });

  routes.post('/projects/:id/jobs/:job_id/play', {
    summary: 'Begin a manual or delayed job',
    description: 'The answer says `started`; the job itself waits for a runner.',
    params: params({ ...one, job_variables_attributes: variables }),
    responses: { 200: Type.Union([Job, Bridge]) },
    guard: core.guards.project('update_build'),
    handler: async ({ guarded, params: asked, caller, baseUrl }) => {
      const job = await find(guarded, asked.job_id);
      await demandJobRight(core, guarded, job);
      const options = { userId: caller.user.id, variables: configured(asked.job_variables_attributes) };
      const begun = await withJob(database, job.id, (tx, locked) => {
        if (!isPlayable(locked)) throw fail.badRequest('Unplayable Job');
        return playJob(tx, core, locked, options);
      });
      if (!begun) throw fail.recordNotFound();
      const place = { project: guarded.project, baseUrl, caller };
      return new Answer(200, { ...(await presentEither(core, place, begun)), status: 'started' });
    },
  });

  routes.post('/projects/:id/jobs/:job_id/erase', {
    summary: 'Remove the artifacts and the log of a job',
    params: params(one),
    responses: { 201: Job },
    guard: core.guards.project('update_build'),
    handler: async ({ guarded, params: { job_id }, caller, baseUrl }) => {
      const job = await find(guarded, job_id, ['build']);
      demandEraseRight(guarded, job, caller.user.id);
      const erased = await withJob(database, job.id, async (tx, locked) => {
        if (!(await isErasable(tx, locked))) throw fail.forbidden('Job is not erasable!');
        await eraseJob(tx, locked.id);
        return markErased(tx, locked.id, { now: core.clock.now(), userId: caller.user.id });
      });
      if (!erased) throw fail.recordNotFound();
      const place = { project: guarded.project, baseUrl };
      return withDownloadUrl(await presentJob(core, place, erased), place);
    },
  });
}

/** A bridge says what it has begun, a job what a runner has done with it. */
async function presentEither(
  core: Core,
  place: JobPlace & { caller: Caller },
  job: JobRow,
): Promise<JobEntity | BridgeEntity> {
  if (job.kind !== 'bridge') return presentJob(core, place, job);
  const [bridge] = await presentBridges(core, place, [job]);
  if (!bridge) throw fail.recordNotFound();
  return bridge;
}

/** As the configuration would have them: `$OTHER` in a value is replaced. */
const configured = (given: { key: string; value: string }[] | undefined): ConfigVariable[] =>
  (given ?? []).map(({ key, value }) => ({ key, value, raw: false }));

/** Whether it has ended and has stored anything. */
async function isErasable(tx: Tx, job: JobRow): Promise<boolean> {
  if (!isComplete(job.status)) return false;
  if ((await artifactsOf(tx, [job.id])).has(job.id)) return true;
  const trace = await findTrace(tx, job.id);
  return trace !== undefined && trace.sealed_at !== 0;
}
