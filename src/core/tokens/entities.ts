import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { isoTime, isoTimeOrNull } from '../entities.ts';
import type { AccessToken } from '../tables.ts';
import { scopeList } from './scopes.ts';

const tokenFields = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: timestamp(),
  description: nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_at: nullable(timestamp()),
  active: Type.Boolean(),
  expires_at: nullable(Type.String({ format: 'date' })),
};
const secret = { token: Type.String({ description: 'Shown only in this answer.' }) };
const impersonation = { impersonation: Type.Literal(true) };

export const PersonalAccessToken = Type.Object(tokenFields, { $id: 'PersonalAccessToken' });
export const NewPersonalAccessToken = Type.Object(
  { ...tokenFields, ...secret },
  { $id: 'NewPersonalAccessToken' },
);
export const ImpersonationToken = Type.Object(
  { ...tokenFields, ...impersonation },
  { $id: 'ImpersonationToken' },
);
export const NewImpersonationToken = Type.Object(
  { ...tokenFields, ...impersonation, ...secret },
  { $id: 'NewImpersonationToken' },
);

/** `today` as `YYYY-MM-DD`. Never shows the hash. */
export function presentToken(token: AccessToken, today: string): Static<typeof PersonalAccessToken> {
  const expired = token.expires_at !== null && token.expires_at <= today;
  return {
    id: token.id,
    name: token.name,
    revoked: token.revoked === 1,
    created_at: isoTime(token.created_at),
    description: token.description,
    scopes: scopeList(token.scopes),
    user_id: token.user_id,
    last_used_at: isoTimeOrNull(token.last_used_at),
    active: token.revoked === 0 && !expired,
    expires_at: token.expires_at,
  };
}

export const presentImpersonation = (
  token: AccessToken,
  today: string,
): Static<typeof ImpersonationToken> => ({ ...presentToken(token, today), impersonation: true });
