import { snapshot } from '../../git/snapshot.ts';
import { fail } from '../../platform/errors.ts';
import { Answer, Bytes, contentDisposition } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import type { Core, Room } from '../core.ts';
import { wikiRepositoryOf } from '../projects/wiki.ts';
import { projectPath, unlessRemoved } from './reading.ts';

const HEADERS = {
  'content-type': 'application/x-tar',
  'content-disposition': contentDisposition('attachment', 'snapshot.tar'),
};

/** `GET /projects/:id/snapshot`: a bare repository as it lies on the disk, for administrators */
export function snapshotRoute(room: Room, core: Core): void {
  const findProject = core.guards.project();
  room.get('/projects/:id/snapshot', {
    summary: 'The whole repository as a tar file, to be read by git',
    params: params({
      ...projectPath,
      wiki: optional(param.boolean({ description: "The repository of the project's wiki instead." })),
    }),
    responses: { 200: null },
    guard: (call) => {
      core.guards.admin(call);
      return findProject(call);
    },
    handler: async ({ guarded, params: { wiki }, method, signal }) => {
      const { project } = guarded;
      const repository = wiki ? wikiRepositoryOf(core, project) : core.repositoryOf(project);
      if (wiki && !(await repository.exists())) throw fail.notFound('Wiki');
      if (method === 'HEAD') return new Answer(200, undefined, HEADERS);
      const tar = await unlessRemoved(snapshot(repository, signal));
      return new Answer(200, new Bytes(tar), HEADERS);
    },
  });
}
