import { Answer } from '../platform/http/answer.ts';
import { nullable } from '../platform/http/params.ts';
import { type Static, Type } from '../platform/http/schema.ts';
import type { User } from './tables.ts';

/** What every room shows of a user. */
export const UserBasic = Type.Object(
  {
    id: Type.Integer(),
    username: Type.String(),
    public_email: nullable(Type.String()),
    name: Type.String(),
    state: Type.String(),
    locked: Type.Boolean(),
    avatar_url: nullable(Type.String()),
    web_url: Type.String(),
  },
  { $id: 'UserBasic' },
);

export function presentUserBasic(user: User, baseUrl: string): Static<typeof UserBasic> {
  return {
    id: user.id,
    username: user.username,
    public_email: user.public_email,
    name: user.name,
    state: user.state,
    locked: false,
    avatar_url: avatarUrl(user, baseUrl),
    web_url: `${baseUrl}/${user.username}`,
  };
}

/** service.md has the address as text, never null: a picture drawn by the service itself from the user's name. */
export const avatarUrl = (user: Pick<User, 'id'>, baseUrl: string): string =>
  `${baseUrl}/uploads/-/system/user/avatar/${user.id}/avatar.svg`;

/** `2016-01-19T09:05:50.355Z` */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** What a call answers that is done, or will be, without anything to show for it. */
export const Accepted = Type.Object({ message: Type.String() }, { $id: 'Accepted' });
export const accepted = (): Answer => new Answer(202, { message: '202 Accepted' });
