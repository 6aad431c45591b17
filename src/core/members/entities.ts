import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { Visitor } from '../caller.ts';
import type { Core } from '../core.ts';
import { isoTime, presentUserBasic, UserBasic } from '../entities.ts';
import type { Member as MemberRow } from '../tables.ts';
import { findUsersByIds } from '../users/store.ts';

export const Member = Type.Object(
  {
    ...UserBasic.properties,
    access_level: Type.Integer(),
    created_at: timestamp(),
    created_by: Type.Optional(UserBasic),
    expires_at: nullable(Type.String({ format: 'date' })),
    membership_state: Type.String(),
    /** For administrators. */
    email: Type.Optional(Type.String()),
  },
  { $id: 'Member' },
);

export const AccessRequester = Type.Object(
  { ...UserBasic.properties, requested_at: timestamp() },
  { $id: 'AccessRequester' },
);

export async function presentMembers(
  core: Core,
  caller: Visitor,
  rows: MemberRow[],
): Promise<Static<typeof Member>[]> {
  const ids = rows.flatMap(({ user_id: id, created_by_id: by }) => (by === null ? [id] : [id, by]));
  const users = await findUsersByIds(core.db, ids);
  const baseUrl = core.baseUrl();
  return rows.map((row) => {
    const user = users.get(row.user_id)!;
    const by = row.created_by_id === null ? undefined : users.get(row.created_by_id);
    return {
      ...presentUserBasic(user, baseUrl),
      access_level: row.access_level,
      created_at: isoTime(row.created_at),
      ...(by && { created_by: presentUserBasic(by, baseUrl) }),
      expires_at: row.expires_at,
      membership_state: 'active',
      ...(caller?.admin && { email: user.email }),
    };
  });
}

export async function presentRequesters(
  core: Core,
  rows: MemberRow[],
): Promise<Static<typeof AccessRequester>[]> {
  const users = await findUsersByIds(
    core.db,
    rows.map((row) => row.user_id),
  );
  return rows.map((row) => ({
    ...presentUserBasic(users.get(row.user_id)!, core.baseUrl()),
    requested_at: isoTime(row.requested_at!),
  }));
}
