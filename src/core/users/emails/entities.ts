import { nullable, timestamp } from '../../../platform/http/params.ts';
import { type Static, Type } from '../../../platform/http/schema.ts';
import { isoTimeOrNull } from '../../entities.ts';
import type { UserEmail } from '../../tables.ts';

export const Email = Type.Object(
  { id: Type.Integer(), email: Type.String(), confirmed_at: nullable(timestamp()) },
  { $id: 'Email' },
);

export const presentEmail = (row: UserEmail): Static<typeof Email> => ({
  id: row.id,
  email: row.email,
  confirmed_at: isoTimeOrNull(row.confirmed_at),
});
