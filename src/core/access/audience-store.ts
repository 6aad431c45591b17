import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import { traversalIds } from './store.ts';

export interface PersonRow {
  id: number;
  state: string;
  is_admin: number;
  external: number;
  bot: number;
}

interface Place {
  projectId: number;
  namespaceIds: readonly number[];
}

/** As many as are named in one query. */
export const MAX_NAMED = 500;

/** These users, at most `MAX_NAMED`; those who are gone are left out. */
export function peopleNamed(db: Queryable, ids: readonly number[]): Promise<PersonRow[]> {
  return people(db).where('id', 'in', ids).execute();
}

/** Everybody who has a membership at the place, in force or not. */
export function peopleAt(db: Queryable, { projectId, namespaceIds }: Place): Promise<PersonRow[]> {
  return people(db)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('members')
        .select('user_id')
        .where((or) => or.or([or('project_id', '=', projectId), or('namespace_id', 'in', namespaceIds)])),
    )
    .execute();
}

const people = (db: Queryable) =>
  db.selectFrom('users').select(['id', 'state', 'is_admin', 'external', 'bot']);

/**
 * The highest level of each user by all memberships and shares that count on the day, by two queries; of these users (at most
 * `MAX_NAMED`), or of all who have one.
 */
export async function levelsAt(
  db: Queryable,
  place: Place,
  { userIds, today }: { userIds: readonly number[] | null; today: string },
): Promise<Map<number, number>> {
  const named = userIds === null ? sql`1 = 1` : sql`m.user_id in (${sql.join(userIds)})`;
  const counts = sql`m.requested_at is null and (m.expires_at is null or m.expires_at > ${today}) and ${named}`;
  const ways = [
    sql`select m.user_id, m.access_level from members as m where ${here(place)} and ${counts}`,
    ...(await sharesAt(db, place, today)).map(({ traversal, access_level: cap }) => {
      const groups = sql.join(traversalIds(traversal));
      return sql`select m.user_id, case when m.access_level < ${cap} then m.access_level else cast(${cap} as integer) end
        from members as m where m.namespace_id in (${groups}) and ${counts}`;
    }),
  ];
  const { rows } = await sql<{ user_id: number; level: number }>`
    select user_id, max(access_level) as level from (${sql.join(ways, sql` union all `)}) as ways
    group by user_id`.execute(db);
  return new Map(rows.map((row) => [row.user_id, Number(row.level)]));
}

const here = ({ projectId, namespaceIds }: Place): RawBuilder<unknown> =>
  sql`(m.project_id = ${projectId} or m.namespace_id in (${sql.join(namespaceIds)}))`;

/** A handful: groups with which the project or a group above is shared. */
function sharesAt(db: Queryable, { projectId, namespaceIds }: Place, today: string) {
  return db
    .selectFrom('group_shares')
    .innerJoin('namespaces', 'namespaces.id', 'group_shares.shared_with_id')
    .select(['namespaces.traversal', 'group_shares.access_level'])
    .where((eb) =>
      eb.or([
        eb('group_shares.project_id', '=', projectId),
        eb('group_shares.namespace_id', 'in', namespaceIds),
      ]),
    )
    .where((eb) =>
      eb.or([eb('group_shares.expires_at', 'is', null), eb('group_shares.expires_at', '>', today)]),
    )
    .execute();
}
