import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { nullable, optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { traversalIds } from '../access/store.ts';
import type { Core, CoreApi } from '../core.ts';
import { presentUserBasic, UserBasic } from '../entities.ts';
import { countGroups, listGroups } from '../groups/list-store.ts';
import { sharesOf } from '../groups/shares-store.ts';
import { countAll, listAll } from '../members/all-store.ts';
import { sourceOfProject } from '../members/source.ts';
import { namespaceUrl } from '../namespaces/entities.ts';
import { findUsersByIds } from '../users/store.ts';

const GroupPublic = Type.Object(
  {
    id: Type.Integer(),
    web_url: Type.String(),
    name: Type.String(),
    avatar_url: nullable(Type.String()),
    full_name: Type.String(),
    full_path: Type.String(),
  },
  { $id: 'GroupPublic' },
);

/** The people and the groups around a project. */
export function projectPeopleRoutes(api: CoreApi, core: Core): void {
  const room = api.room('projects');

  room.get('/projects/:id/users', {
    summary: 'Everybody who belongs to a project',
    params: params({
      id: param.string(),
      search: optional(param.string()),
      skip_users: optional(param.csv()),
      ...pageParams,
    }),
    responses: { 200: Type.Array(UserBasic) },
    guard: core.guards.project('read_members'),
    handler: async (call) => {
      const page = pageOf(call.params);
      const filter = {
        today: core.access.today(),
        query: call.params.search || undefined,
        skipIds: call.params.skip_users?.map(Number).filter(Number.isSafeInteger),
      };
      const source = sourceOfProject(call.guarded, false);
      const rows = await listAll(core.db, source, filter, { limit: page.perPage, offset: page.offset });
      const total = await countAll(core.db, source, filter);
      const users = await findUsersByIds(
        core.db,
        rows.map((row) => row.user_id),
      );
      const shown = rows.map((row) => presentUserBasic(users.get(row.user_id)!, core.baseUrl()));
      return pageAnswer(call, page, shown, { total });
    },
  });

  room.get('/projects/:id/groups', {
    summary: 'Groups above a project, and with `with_shared` those it is shared with',
    params: params({
      id: param.string(),
      search: optional(param.string()),
      skip_groups: optional(param.csv()),
      with_shared: withDefault(param.boolean(), false),
      shared_visible_only: withDefault(param.boolean(), false),
      shared_min_access_level: optional(param.oneOfNumbers([10, 15, 20, 30, 40, 50])),
      ...pageParams,
    }),
    responses: { 200: Type.Array(GroupPublic) },
    guard: core.guards.project('read_project'),
    handler: async (call) => {
      const page = pageOf(call.params);
      const viewer = core.access.viewer(call.caller);
      const { project } = call.guarded;
      const least = call.params.shared_min_access_level ?? 0;
      const shares = call.params.with_shared
        ? ((await sharesOf(core.db, 'project', [project.id], viewer)).get(project.id) ?? [])
        : [];
      const sharedIds = shares
        .filter((share) => share.group_access_level >= least)
        .map((share) => share.group_id);
      const filter = {
        viewer,
        search: call.params.search || undefined,
        skip: call.params.skip_groups?.map(Number).filter(Number.isSafeInteger),
        ids: [...traversalIds(project.traversal), ...sharedIds],
      };
      const order = { by: 'id', direction: 'asc' } as const;
      const rows = await listGroups(core.db, filter, order, { limit: page.perPage, offset: page.offset });
      const total = await countGroups(core.db, filter);
      const shown = rows.map((group) => ({
        id: group.id,
        web_url: namespaceUrl(group, core.baseUrl()),
        name: group.name,
        avatar_url: null,
        full_name: group.full_name,
        full_path: group.full_path,
      }));
      return pageAnswer(call, page, shown, { total });
    },
  });
}
