import { type Expression, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { same } from '../area-store.ts';
import { idsOf, narrows, type Path } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

/** As much of a user as the order of a search needs: all who match are put in order, one page of them is read whole. */
export interface Person {
  id: number;
  name: string;
  username: string;
}

export function personWalk(
  database: Pick<Database, 'db' | 'dialect'>,
  { query, within }: { query: TextQuery; within: Expression<SqlBool> },
): Walk<Person> {
  const path: Path = { table: 'users', area: same(within), by: 'id', direction: 'asc', query };
  return {
    read: (step) =>
      database.db
        .selectFrom('users')
        .select(['id', 'name', 'username'])
        .where('id', 'in', idsOf(path, database, step))
        .orderBy('id')
        .execute(),
    narrows: () => narrows(path, database),
    textsOf: ({ name, username }) => [name, username],
    positionOf: ({ id }) => ({ value: id, id }),
  };
}

/** By a whole mail address: the one that somebody shows, for administrators also the one he has. */
export function findByAddress(
  db: Queryable,
  address: string,
  { within, admin }: { within: Expression<SqlBool>; admin: boolean },
): Promise<Person[]> {
  const given = address.toLowerCase();
  const shown = sql<SqlBool>`lower(users.public_email) = ${given}`;
  const own = sql<SqlBool>`lower(users.email) = ${given}`;
  return db
    .selectFrom('users')
    .select(['users.id', 'users.name', 'users.username'])
    .where(within)
    .where((eb) => (admin ? eb.or([shown, own]) : shown))
    .orderBy('users.id')
    .execute();
}
