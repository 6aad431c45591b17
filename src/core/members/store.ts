import { type Expression, type Insertable, type SqlBool, sql, type Updateable } from 'kysely';
import { containsText } from '../../platform/db/like.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { Level } from '../access/levels.ts';
import type { Member, MembersTable } from '../tables.ts';
import type { MemberSource } from './source.ts';

export function insertMember(tx: Tx, values: Insertable<MembersTable>): Promise<Member> {
  return tx.insertInto('members').values(values).returningAll().executeTakeFirstOrThrow();
}

export async function updateMember(tx: Tx, id: number, values: Updateable<MembersTable>): Promise<Member> {
  return tx.updateTable('members').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteMember(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('members').where('id', '=', id).execute();
}

/** Rows of the thing itself, memberships and requests alike. */
const here = ({ columns }: Pick<MemberSource, 'columns'>): Expression<SqlBool> =>
  columns.project_id === null
    ? sql<SqlBool>`members.namespace_id = ${columns.namespace_id}`
    : sql<SqlBool>`members.project_id = ${columns.project_id}`;

/** The row of one user, whether it is a membership or a request; expired ones too. */
export function findMemberRow(
  db: Queryable,
  source: Pick<MemberSource, 'columns'>,
  userId: number,
): Promise<Member | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where(here(source))
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

export function listRequests(
  db: Queryable,
  source: MemberSource,
  { limit, offset }: { limit: number; offset: number },
): Promise<Member[]> {
  return requests(db, source).selectAll().orderBy('id').limit(limit).offset(offset).execute();
}

export async function countRequests(db: Queryable, source: MemberSource): Promise<number> {
  const row = await requests(db, source)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

const requests = (db: Queryable, source: MemberSource) =>
  db.selectFrom('members').where(here(source)).where('requested_at', 'is not', null);

export interface MemberFilter {
  today: string;
  /** Part of a name, user name or whole e-mail address. */
  query?: string | undefined;
  userIds?: number[] | undefined;
  skipIds?: number[] | undefined;
}

/** Members of the thing itself. */
export function listDirect(
  db: Queryable,
  source: MemberSource,
  filter: MemberFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Member[]> {
  return direct(db, source, filter)
    .selectAll('members')
    .orderBy('members.id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countDirect(
  db: Queryable,
  source: MemberSource,
  filter: MemberFilter,
): Promise<number> {
  const row = await direct(db, source, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

const direct = (db: Queryable, source: MemberSource, filter: MemberFilter) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .where(here(source))
    .where('members.requested_at', 'is', null)
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', filter.today)]))
    .where(matches(filter));

const TRUE = sql`1 = 1`;

export function matches({ query, userIds, skipIds }: MemberFilter): Expression<SqlBool> {
  const ids = userIds && (userIds.length === 0 ? sql`1 = 0` : sql`users.id in (${sql.join(userIds)})`);
  const text = query
    ? sql`(${containsText(sql.ref('users.name'), query)} or ${containsText(sql.ref('users.username'), query)}
        or lower(users.email) = ${query.toLowerCase()})`
    : undefined;
  const skip = skipIds && skipIds.length > 0 ? sql`users.id not in (${sql.join(skipIds)})` : undefined;
  return sql<SqlBool>`(${ids ?? TRUE} and ${skip ?? TRUE} and ${text ?? TRUE})`;
}

/** Owners of a group by a membership of its own that counts today, besides one person. */
export async function hasOtherOwner(
  db: Queryable,
  source: MemberSource,
  userId: number,
  today: string,
): Promise<boolean> {
  const row = await direct(db, source, { today })
    .select('members.id')
    .where('members.access_level', '=', Level.owner)
    .where('members.user_id', '!=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The highest membership in the groups above, which one below may not undercut. */
export async function inheritedLevel(
  db: Queryable,
  { ancestorIds }: MemberSource,
  userId: number,
  today: string,
): Promise<{ level: number; groupName: string } | null> {
  if (ancestorIds.length === 0) return null;
  const row = await db
    .selectFrom('members')
    .innerJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .select(['members.access_level as level', 'namespaces.name as groupName'])
    .where('members.user_id', '=', userId)
    .where('members.namespace_id', 'in', ancestorIds)
    .where('members.requested_at', 'is', null)
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', today)]))
    .orderBy('members.access_level', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Memberships of one user in the groups and projects below a group. */
export function membershipsBelow(tx: Tx, groupId: number, userId: number): Promise<Member[]> {
  const below = sql<number>`(with recursive below(id) as (
    select id from namespaces where parent_id = ${groupId}
    union all select child.id from namespaces as child join below on child.parent_id = below.id
  ) select id from below)`;
  return tx
    .selectFrom('members')
    .selectAll()
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('namespace_id', 'in', below),
        eb(
          'project_id',
          'in',
          eb
            .selectFrom('projects')
            .select('projects.id')
            .where((inner) =>
              inner.or([inner('namespace_id', '=', groupId), inner('namespace_id', 'in', below)]),
            ),
        ),
      ]),
    )
    .execute();
}
