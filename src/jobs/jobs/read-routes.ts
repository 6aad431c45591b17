import type { Caller } from '../../core/caller.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { fail } from '../../platform/errors.ts';
import { param, params } from '../../platform/http/params.ts';
import { AllowedAgents, presentAllowedAgents } from './allowed-agents.ts';
import { Job } from './entity.ts';
import { presentJob } from './present.ts';
import { findJob } from './store.ts';

/** One job. */
export function jobReadRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('jobs');
  const { db } = core;

  routes.get('/projects/:id/jobs/:job_id', {
    summary: 'Read a job',
    params: params({ id: param.string(), job_id: param.integer() }),
    responses: { 200: Job },
    guard: core.guards.project('read_build'),
    handler: async ({ guarded: { project }, params: { job_id: jobId }, baseUrl }) => {
      const job = await findJob(db, { projectId: project.id, jobId });
      if (!job) throw fail.recordNotFound();
      return presentJob(core, { project, baseUrl }, job);
    },
  });

  /** The job whose token is used, and its project. */
  const ownJob = async (caller: Caller) => {
    if (caller.job === null) throw fail.notFound('Job');
    const { id: jobId, projectId } = caller.job;
    const [job, project] = await Promise.all([
      findJob(db, { projectId, jobId }),
      findProjectById(db, projectId),
    ]);
    if (!job || !project) throw fail.notFound('Job');
    return { job, project };
  };

  routes.get('/job', {
    summary: 'The running job whose token is used',
    params: params({}),
    responses: { 200: Job },
    jobToken: true,
    handler: async ({ caller, baseUrl }) => {
      const { job, project } = await ownJob(caller);
      return presentJob(core, { project, baseUrl }, job);
    },
  });

  routes.get('/job/allowed_agents', {
    summary: 'Who the running job is whose token is used, and which agents it may use: none',
    params: params({}),
    responses: { 200: AllowedAgents },
    jobToken: true,
    handler: async ({ caller }) => {
      const { job, project } = await ownJob(caller);
      return presentAllowedAgents(core, { job, project, user: caller.user });
    },
  });
}
