import { isoTime, presentUserBasic, UserBasic } from '../../core/entities.ts';
import type { User } from '../../core/tables.ts';
import { timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { AwardRow } from './tables.ts';

export const AwardEmoji = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    user: UserBasic,
    created_at: timestamp(),
    updated_at: timestamp(),
    awardable_id: Type.Integer(),
    awardable_type: Type.String(),
    /** Of an emoji that a group has drawn itself, which there is none of here. */
    url: Type.Null(),
  },
  { $id: 'AwardEmoji' },
);

export const presentAward = (row: AwardRow, user: User, baseUrl: string): Static<typeof AwardEmoji> => ({
  id: row.id,
  name: row.name,
  user: presentUserBasic(user, baseUrl),
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
  awardable_id: row.awardable_id,
  awardable_type: row.awardable_type,
  url: null,
});
