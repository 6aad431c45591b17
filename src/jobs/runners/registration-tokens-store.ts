import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { RegistrationTokensTable } from './tables.ts';

export async function findRegistrationToken(db: Queryable, place: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('registration_tokens')
    .select('token')
    .where('place', '=', place)
    .executeTakeFirst();
  return row?.token;
}

/** Whose token it is. */
export function findPlaceOfToken(
  db: Queryable,
  token: string,
): Promise<Pick<RegistrationTokensTable, 'namespace_id' | 'project_id'> | undefined> {
  return db
    .selectFrom('registration_tokens')
    .select(['namespace_id', 'project_id'])
    .where('token', '=', token)
    .executeTakeFirst();
}

/** Keeps the token that is there, if one is. */
export async function keepRegistrationToken(tx: Tx, values: RegistrationTokensTable): Promise<void> {
  await tx
    .insertInto('registration_tokens')
    .values(values)
    .onConflict((conflict) => conflict.column('place').doNothing())
    .execute();
}

export async function replaceRegistrationToken(tx: Tx, values: RegistrationTokensTable): Promise<void> {
  await tx
    .insertInto('registration_tokens')
    .values(values)
    .onConflict((conflict) => conflict.column('place').doUpdateSet({ token: values.token }))
    .execute();
}
