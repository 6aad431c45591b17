import { type Expression, type SqlBool, sql } from 'kysely';
import { traversalIds, visibleGroup } from '../../core/access/store.ts';
import { belowSet } from '../../core/groups/store.ts';
import type { InGroup, InProject } from '../../core/guards.ts';
import { listAll } from '../../core/members/all-store.ts';
import { sourceOfProject } from '../../core/members/source.ts';
import type { Search } from '../scope.ts';

/** GitLab shows them to nobody but administrators. */
const HIDDEN_STATES = ['blocked', 'banned', 'ldap_blocked'];

/** Of a project with more people the first so many by membership are looked through. */
const MAX_MEMBERS = 10_000;

/** The condition "one of those whom this search is about" over `users`. */
export async function peopleIn(search: Search): Promise<Expression<SqlBool>> {
  const { place, viewer } = search;
  const hidden = sql<SqlBool>`users.state not in (${sql.join(HIDDEN_STATES)})`;
  const shown = viewer.admin ? sql<SqlBool>`1 = 1` : hidden;
  if (place.level === 'global') return shown;
  const here = place.level === 'group' ? ofGroup(search, place) : await ofProject(search, place);
  return sql<SqlBool>`(${shown} and ${here})`;
}

/** Members of the group, of those above it, and of those below it that the caller may see; people who only asked are none. */
function ofGroup({ viewer }: Search, { group }: InGroup): Expression<SqlBool> {
  const groups = sql`select namespaces.id from namespaces where ${visibleGroup(viewer)}
    and (namespaces.id in (${sql.join(traversalIds(group.traversal))}) or namespaces.id in (${belowSet(group.id)}))`;
  return sql<SqlBool>`users.id in (select members.user_id from members
    where members.requested_at is null and (members.expires_at is null or members.expires_at > ${viewer.today})
      and members.namespace_id in (${groups}))`;
}

/** Everybody who belongs to the project, whichever way he came. */
async function ofProject({ core, viewer }: Search, found: InProject): Promise<Expression<SqlBool>> {
  const source = sourceOfProject(found, false);
  const window = { limit: MAX_MEMBERS, offset: 0 };
  const members = await listAll(core.db, source, { today: viewer.today }, window);
  const ids = members.map(({ user_id }) => user_id);
  if (source.holderId !== null) ids.push(source.holderId);
  return ids.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`users.id in (${sql.join(ids)})`;
}
