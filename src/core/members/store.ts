import type { Insertable } from 'kysely';
import type { Tx } from '../../platform/db/tables.ts';
import type { Member, MembersTable } from '../tables.ts';

export function insertMember(tx: Tx, values: Insertable<MembersTable>): Promise<Member> {
  return tx.insertInto('members').values(values).returningAll().executeTakeFirstOrThrow();
}
