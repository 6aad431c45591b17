import type { Core, CoreApi } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { Job } from '../jobs/entity.ts';
import { presentJob, withDownloadUrl } from '../jobs/present.ts';
import { demandJobRight } from '../jobs/rights.ts';
import { expireAll } from './expire-all.ts';
import { demandBuild } from './find-job.ts';
import { doomArtifacts, keepArtifacts } from './store.ts';

const one = params({ id: param.string(), job_id: param.integer() });

const Accepted = Type.Object({ message: Type.String() }, { $id: 'ArtifactsAccepted' });

interface Parts {
  core: Core;
  /** There is something to free. */
  wake: () => void;
}

/** To keep what a job has made beyond its expiry, and to throw it away before. */
export function keepRoutes(api: CoreApi, { core, wake }: Parts): void {
  const routes = api.room('jobs');
  const { database, db, guards } = core;

  routes.post('/projects/:id/jobs/:job_id/artifacts/keep', {
    summary: 'Keep the artifacts of a job for ever',
    params: one,
    responses: { 200: Job },
    guard: guards.project('update_build'),
    handler: async ({ guarded, params: { job_id }, baseUrl }) => {
      const { project } = guarded;
      const job = await demandBuild(db, project.id, job_id);
      await demandJobRight(core, guarded, job);
      const { id } = job;
      const kept = await database.transaction((tx) => keepArtifacts(tx, id));
      // Not there, or doomed by a sweep that came before.
      if (!kept) throw fail.notFound();
      const place = { project, baseUrl };
      const entity = await presentJob(core, place, await demandBuild(db, project.id, job_id));
      return new Answer(200, withDownloadUrl(entity, place));
    },
  });

  routes.delete('/projects/:id/jobs/:job_id/artifacts', {
    summary: 'Delete the artifacts of a job; its log stays',
    params: one,
    responses: { 204: null },
    guard: guards.project('admin_build'),
    handler: async ({ guarded: { project }, params: { job_id } }) => {
      const { id: jobId } = await demandBuild(db, project.id, job_id);
      await database.transaction((tx) => doomArtifacts(tx, { jobId, except: 'trace' }));
      wake();
    },
  });

  routes.delete('/projects/:id/artifacts', {
    summary: 'Delete the artifacts of all jobs of a project, but for the latest ones that it keeps',
    params: params({ id: param.string() }),
    responses: { 202: Accepted },
    guard: guards.project('admin_build'),
    handler: async ({ guarded: { project } }) => {
      await expireAll(core, project.id);
      wake();
      return new Answer(202, { message: '202 Accepted' });
    },
  });
}
