import type { Core, CoreApi } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { pageOf, pageParams, sliceAnswer } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { findJobByRef, refAndPath } from './by-ref.ts';
import { demandBuild } from './find-job.ts';
import {
  currentArchive,
  demandPath,
  type ReadDeps,
  readable,
  sendArchive,
  sendFile,
  unlessGone,
} from './read-artifact.ts';
import { objectKey } from './store.ts';
import { listTree, TreeEntry } from './tree.ts';

const ofJob = { id: param.string(), job_id: param.integer(), job_token: optional(param.string()) };

/** What people and other jobs fetch: archives, and single files out of them, by job and by branch or tag. */
export function downloadRoutes(api: CoreApi, core: Core, deps: ReadDeps): void {
  const routes = api.room('jobs');
  const guard = core.guards.project('read_build');

  routes.get('/projects/:id/jobs/:job_id/artifacts', {
    summary: 'The artifacts of a job in one archive',
    params: params(ofJob),
    responses: { 200: null, 206: null },
    jobToken: true,
    guard,
    handler: async (call) => {
      const job = await demandBuild(core.db, call.guarded.project.id, call.params.job_id);
      return sendArchive(deps, job, call.guarded, call);
    },
  });

  routes.get('/projects/:id/jobs/:job_id/artifacts/tree', {
    summary: 'What is in the artifacts of a job',
    params: params({
      ...ofJob,
      path: optional(param.string({ description: 'A folder in the archive.' })),
      recursive: withDefault(param.boolean(), false),
      ...pageParams,
    }),
    responses: { 200: Type.Array(TreeEntry) },
    jobToken: true,
    guard,
    handler: async (call) => {
      const { path, recursive, job_id } = call.params;
      const job = await demandBuild(core.db, call.guarded.project.id, job_id);
      const row = await currentArchive(deps, job, call.guarded, 'Artifacts');
      const archive = { key: objectKey(row), size: row.size };
      const index = await unlessGone(readable(() => deps.archives.index(archive)));
      return sliceAnswer(call, pageOf(call.params), listTree(index, path ?? '', recursive), (entry) => entry);
    },
  });

  routes.get('/projects/:id/jobs/:job_id/artifacts/*', {
    summary: 'One file out of the artifacts of a job',
    params: params({
      ...ofJob,
      '*': param.string({ description: 'Path of the file in the archive.', binary: true }),
    }),
    responses: { 200: null },
    jobToken: true,
    guard,
    handler: async (call) => {
      const job = await demandBuild(core.db, call.guarded.project.id, call.params.job_id);
      const path = call.params['*'];
      demandPath(path);
      return sendFile(deps, await currentArchive(deps, job, call.guarded), path, call);
    },
  });

  routes.get('/projects/:id/jobs/artifacts/*', {
    summary:
      'The archive of a job by its branch or tag (`REF/download`), or one file out of it (`REF/raw/PATH`)',
    description:
      'Of the newest successful pipeline of the branch or tag, the newest job of that name that has succeeded.',
    params: params({
      id: param.string(),
      '*': param.string({
        description: '`REF/download` or `REF/raw/PATH`; the ref may hold slashes.',
        binary: true,
      }),
      job: param.string({ description: 'Name of the job.' }),
      search_recent_successful_pipelines: withDefault(param.boolean(), false),
      job_token: optional(param.string()),
    }),
    responses: { 200: null, 206: null },
    jobToken: true,
    guard,
    handler: async (call) => {
      const { '*': rest, job: name, search_recent_successful_pipelines: lookBack } = call.params;
      const { id: projectId } = call.guarded.project;
      const find = (ref: string) => findJobByRef(core.db, { projectId, ref, name, lookBack });
      const splits = refAndPath(rest);
      if (rest.endsWith('/download')) {
        const job = await find(rest.slice(0, -'/download'.length));
        if (job) return sendArchive(deps, job, call.guarded, call);
      } else if (splits.length === 0) throw fail.notFound();
      for (const { ref, path } of splits) {
        const job = await find(ref);
        if (!job) continue;
        demandPath(path);
        return sendFile(deps, await currentArchive(deps, job, call.guarded), path, call);
      }
      throw lookBack ? fail.notFound('Job') : fail.recordNotFound();
    },
  });
}
