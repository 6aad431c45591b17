import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import { Level } from './levels.ts';
import { traversalIds } from './store.ts';

interface Place {
  projectId: number;
  namespaceIds: readonly number[];
}

/** As many as are named in one query. */
export const MAX_NAMED = 500;

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
      return sql`select m.user_id, case when m.access_level < ${cap} then m.access_level else cast(${cap} as integer) end as access_level
        from members as m where m.namespace_id in (${groups}) and ${counts}`;
    }),
  ];
  const { rows } = await sql<{
    user_id: number;
    access_level: number;
  }>`${sql.join(ways, sql` union all `)}`.execute(db);
  const levels = new Map<number, number>();
  // ten thousand are compared here in half the time that the database takes to group them
  for (const { user_id: id, access_level: level } of rows)
    if (level > (levels.get(id) ?? Level.none)) levels.set(id, level);
  return levels;
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
