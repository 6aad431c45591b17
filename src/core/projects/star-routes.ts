import { Answer } from '../../platform/http/answer.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, timestamp } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import { isoTime, presentUserBasic, UserBasic } from '../entities.ts';
import { findUsersByIds } from '../users/store.ts';
import { Project } from './entities.ts';
import { presentProject } from './present.ts';
import { addStar, countStarrers, listStarrers, removeStar } from './stars-store.ts';
import { findProjectById } from './store.ts';

const Starrer = Type.Object({ starred_since: timestamp(), user: UserBasic }, { $id: 'Starrer' });

/** What a second star, or taking away none, answers: nothing has changed. */
const unchanged = () => new Answer(304, undefined);

/** Stars: given, taken back, and by whom. */
export function starRoutes(api: CoreApi, core: Core): void {
  const room = api.room('projects');
  const changing = {
    params: params({ id: param.string() }),
    responses: { 201: Project, 304: null },
    guard: core.guards.project('read_project'),
  };

  room.post('/projects/:id/star', {
    summary: 'Star a project; 304 when it is starred already',
    ...changing,
    handler: async ({ caller, guarded }) => {
      const star = { projectId: guarded.project.id, userId: caller.user.id, now: core.clock.now() };
      if (!(await core.database.transaction((tx) => addStar(tx, star)))) return unchanged();
      return presentProject(core, caller, (await findProjectById(core.db, star.projectId))!);
    },
  });

  room.post('/projects/:id/unstar', {
    summary: 'Take a star back; 304 when there is none',
    ...changing,
    handler: async ({ caller, guarded }) => {
      const star = { projectId: guarded.project.id, userId: caller.user.id };
      if (!(await core.database.transaction((tx) => removeStar(tx, star)))) return unchanged();
      return presentProject(core, caller, (await findProjectById(core.db, star.projectId))!);
    },
  });

  room.get('/projects/:id/starrers', {
    summary: 'Who starred a project',
    params: params({ id: param.string(), search: optional(param.string()), ...pageParams }),
    responses: { 200: Type.Array(Starrer) },
    guard: core.guards.project('read_project'),
    handler: async (call) => {
      const page = pageOf(call.params);
      const filter = { projectId: call.guarded.project.id, search: call.params.search ?? undefined };
      const rows = await listStarrers(core.db, filter, { limit: page.perPage, offset: page.offset });
      const total = await countStarrers(core.db, filter);
      const users = await findUsersByIds(
        core.db,
        rows.map((row) => row.user_id),
      );
      const shown = rows.map((row) => ({
        starred_since: isoTime(row.created_at),
        user: presentUserBasic(users.get(row.user_id)!, core.baseUrl()),
      }));
      return pageAnswer(call, page, shown, { total });
    },
  });
}
