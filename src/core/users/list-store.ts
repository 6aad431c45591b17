import { type SelectQueryBuilder, sql } from 'kysely';
import { containsText } from '../../platform/db/like.ts';
import type { Queryable, Tables } from '../../platform/db/tables.ts';
import type { User } from '../tables.ts';

export const USER_ORDERS = ['id', 'name', 'username', 'created_at', 'updated_at'] as const;
export type UserOrder = (typeof USER_ORDERS)[number];

export interface UserFilter {
  username?: string | undefined;
  /** In name and username; a whole address in `public_email`, and for administrators in `email`. */
  search?: string | undefined;
  searchEmails: boolean;
  states?: string[] | undefined;
  exceptStates?: string[] | undefined;
  external?: boolean | undefined;
  admins?: boolean | undefined;
  bots?: boolean | undefined;
  withoutProjects?: boolean | undefined;
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
}

export interface UserWindow {
  order: UserOrder;
  direction: 'asc' | 'desc';
  limit: number;
  offset?: number;
  /** Only what comes after this row in the order. */
  after?: { value: string | number; id: number } | undefined;
}

type Selection<O> = SelectQueryBuilder<Tables, 'users', O>;

/** Ordered, ties by id. */
export function listUsers(db: Queryable, filter: UserFilter, window: UserWindow): Promise<User[]> {
  const { order, direction, limit, offset, after } = window;
  const beyond = direction === 'asc' ? '>' : '<';
  return applyFilter(db.selectFrom('users'), filter)
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb(order, beyond, after?.value ?? 0),
          eb.and([eb(order, '=', after?.value ?? 0), eb('id', beyond, after?.id ?? 0)]),
        ]),
      ),
    )
    .orderBy(order, direction)
    .$if(order !== 'id', (query) => query.orderBy('id', direction))
    .limit(limit)
    .$if(offset !== undefined, (query) => query.offset(offset ?? 0))
    .execute();
}

export async function countUsers(db: Queryable, filter: UserFilter): Promise<number> {
  const { total } = await applyFilter(db.selectFrom('users'), filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function applyFilter<O>(query: Selection<O>, filter: UserFilter): Selection<O> {
  const { username, states, exceptStates, createdAfter, createdBefore } = filter;
  return applySearch(applyFlags(query, filter), filter)
    .$if(username !== undefined, (q) => q.where(sql`lower(username)`, '=', (username ?? '').toLowerCase()))
    .$if(states !== undefined, (q) => q.where('state', 'in', states ?? []))
    .$if(exceptStates !== undefined, (q) => q.where('state', 'not in', exceptStates ?? []))
    .$if(createdAfter !== undefined, (q) => q.where('created_at', '>=', createdAfter ?? 0))
    .$if(createdBefore !== undefined, (q) => q.where('created_at', '<=', createdBefore ?? 0));
}

function applyFlags<O>(query: Selection<O>, filter: UserFilter): Selection<O> {
  const { external, admins, bots, withoutProjects } = filter;
  return query
    .$if(external !== undefined, (q) => q.where('external', '=', external ? 1 : 0))
    .$if(admins === true, (q) => q.where('is_admin', '=', 1))
    .$if(bots !== undefined, (q) => q.where('bot', '=', bots ? 1 : 0))
    .$if(withoutProjects === true, (q) =>
      q.where((eb) =>
        eb.not(
          eb.or([
            eb.exists(
              eb
                .selectFrom('members')
                .select('members.id')
                .whereRef('members.user_id', '=', 'users.id')
                .where('members.project_id', 'is not', null),
            ),
            eb.exists(
              eb
                .selectFrom('projects')
                .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
                .select('projects.id')
                .whereRef('namespaces.owner_id', '=', 'users.id'),
            ),
          ]),
        ),
      ),
    );
}

function applySearch<O>(query: Selection<O>, { search, searchEmails }: UserFilter): Selection<O> {
  if (search === undefined || search.trim() === '') return query;
  const text = search.trim();
  return query.where((eb) =>
    eb.or([
      containsText(eb.ref('name'), text),
      containsText(eb.ref('username'), text),
      eb(sql`lower(public_email)`, '=', text.toLowerCase()),
      ...(searchEmails ? [eb(sql`lower(email)`, '=', text.toLowerCase())] : []),
    ]),
  );
}

/** Personal namespace and number of projects in it, by user. */
export async function personalNamespaces(
  db: Queryable,
  userIds: number[],
): Promise<Map<number, { namespaceId: number; projects: number }>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('namespaces')
    .leftJoin('projects', 'projects.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'namespaces.owner_id'])
    .select((eb) => eb.fn.count<number>('projects.id').as('projects'))
    .where('namespaces.owner_id', 'in', userIds)
    .groupBy(['namespaces.id', 'namespaces.owner_id'])
    .execute();
  return new Map(
    rows.map(({ id, owner_id, projects }) => [owner_id ?? 0, { namespaceId: id, projects }] as const),
  );
}
