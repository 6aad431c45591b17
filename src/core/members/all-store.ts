import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import { traversalIds } from '../access/store.ts';
import type { Member } from '../tables.ts';
import type { MemberSource } from './source.ts';
import { type MemberFilter, matches } from './store.ts';

/**
 * Everybody who belongs to a project or group, whichever way he came: its own members, those of the groups above, and those
 * of groups it is shared with, no higher than the share. One row a person, that of his highest level.
 */
export async function listAll(
  db: Queryable,
  source: MemberSource,
  filter: MemberFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Member[]> {
  const best = await bestRows(db, source, filter);
  const { rows } = await sql<Member>`${best} order by id limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

export async function countAll(db: Queryable, source: MemberSource, filter: MemberFilter): Promise<number> {
  const best = await bestRows(db, source, filter);
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${best}) as best`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

async function bestRows(
  db: Queryable,
  source: MemberSource,
  filter: MemberFilter,
): Promise<RawBuilder<unknown>> {
  const { today } = filter;
  const shares = await sharesAt(db, source, today);
  const ways = [
    waysOf(sql`${ownRows(source)}`, today, null),
    ...shares.map(({ traversal, access_level: cap }) =>
      waysOf(sql`m.namespace_id in (${sql.join(traversalIds(traversal))})`, today, cap),
    ),
  ];
  return sql`select * from (
      select ways.*, row_number() over (partition by ways.user_id order by ways.access_level desc, ways.id) as place
      from (${sql.join(ways, sql` union all `)}) as ways
        join users on users.id = ways.user_id
      where ${matches(filter)}
    ) as ranked where place = 1`;
}

const ownRows = ({ columns, ancestorIds }: MemberSource) => {
  const groups = columns.namespace_id === null ? ancestorIds : [...ancestorIds, columns.namespace_id];
  return sql`(m.project_id = ${columns.project_id} or m.namespace_id in (${sql.join(groups)}))`;
};

function waysOf(where: RawBuilder<unknown>, today: string, cap: number | null): RawBuilder<unknown> {
  const level =
    cap === null
      ? sql`m.access_level`
      : sql`case when m.access_level < ${cap} then m.access_level else cast(${cap} as integer) end`;
  return sql`select m.id, m.user_id, m.namespace_id, m.project_id, ${level} as access_level, m.expires_at,
      m.requested_at, m.created_by_id, m.created_at
    from members as m
    where ${where} and m.requested_at is null and (m.expires_at is null or m.expires_at > ${today})`;
}

/** A handful: groups with which the thing or one above it is shared. */
function sharesAt(
  db: Queryable,
  { columns, ancestorIds }: MemberSource,
  today: string,
): Promise<{ traversal: string; access_level: number }[]> {
  const groups = columns.namespace_id === null ? ancestorIds : [...ancestorIds, columns.namespace_id];
  return db
    .selectFrom('group_shares')
    .innerJoin('namespaces', 'namespaces.id', 'group_shares.shared_with_id')
    .select(['namespaces.traversal', 'group_shares.access_level'])
    .where((eb) =>
      eb.or([
        eb('group_shares.namespace_id', 'in', groups),
        ...(columns.project_id === null ? [] : [eb('group_shares.project_id', '=', columns.project_id)]),
      ]),
    )
    .where((eb) =>
      eb.or([eb('group_shares.expires_at', 'is', null), eb('group_shares.expires_at', '>', today)]),
    )
    .execute();
}
