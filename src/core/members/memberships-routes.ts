import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import { findUser } from '../users/store.ts';
import { countMemberships, listMemberships, type Membership } from './memberships-store.ts';

const UserMembership = Type.Object(
  {
    source_id: Type.Integer(),
    source_name: Type.String(),
    source_type: Type.Union([Type.Literal('Project'), Type.Literal('Namespace')]),
    access_level: Type.Integer(),
  },
  { $id: 'UserMembership' },
);

/** What somebody belongs to, seen from the person. */
export function membershipRoutes(api: CoreApi, core: Core): void {
  api.room('members').get('/users/:id/memberships', {
    summary: 'Projects and groups that a user is a direct member of (administrators)',
    params: params({
      id: param.integer(),
      type: optional(param.oneOf(['Project', 'Namespace'])),
      ...pageParams,
    }),
    responses: { 200: Type.Array(UserMembership) },
    guard: core.guards.admin,
    handler: async (call) => {
      const { id: userId, type } = call.params;
      if (!(await findUser(core.db, userId))) throw fail.notFound('User');
      const page = pageOf(call.params);
      const filter = { userId, kind: type ?? undefined };
      const rows = await listMemberships(core.db, filter, { limit: page.perPage, offset: page.offset });
      return pageAnswer(call, page, rows.map(present), { total: await countMemberships(core.db, filter) });
    },
  });
}

const present = ({ access_level, project_id, namespace_id, source_name }: Membership) => ({
  // The schema lets a member row name one of the two, and exactly one.
  source_id: (project_id ?? namespace_id)!,
  source_name,
  source_type: project_id === null ? ('Namespace' as const) : ('Project' as const),
  access_level,
});
