import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';

export interface Membership {
  access_level: number;
  /** The project or group that he is a member of. */
  project_id: number | null;
  namespace_id: number | null;
  source_name: string;
}

export interface MembershipFilter {
  userId: number;
  kind?: 'Project' | 'Namespace' | undefined;
}

/** What a user is a direct member of, oldest membership first; requests are none. */
export function listMemberships(
  db: Queryable,
  filter: MembershipFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Membership[]> {
  return memberships(db, filter)
    .leftJoin('projects', 'projects.id', 'members.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .select(['members.access_level', 'members.project_id', 'members.namespace_id'])
    .select(sql<string>`coalesce(projects.name, namespaces.name)`.as('source_name'))
    .orderBy('members.id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countMemberships(db: Queryable, filter: MembershipFilter): Promise<number> {
  const row = await memberships(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

function memberships(db: Queryable, { userId, kind }: MembershipFilter) {
  const all = db
    .selectFrom('members')
    .where('members.user_id', '=', userId)
    .where('members.requested_at', 'is', null);
  if (kind === undefined) return all;
  return all.where(kind === 'Project' ? 'members.project_id' : 'members.namespace_id', 'is not', null);
}
