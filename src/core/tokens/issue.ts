import type { Database } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Scope } from '../../platform/http/route.ts';
import type { AccessToken } from '../tables.ts';
import { expiryDay, MAX_LIFETIME_DAYS, ROTATED_LIFETIME_DAYS } from './expiry.ts';
import { newToken, tokenHash } from './secret.ts';
import { insertToken, revokeToken } from './store.ts';

/** A token as it is stored, and the secret itself, which nobody can read again. */
export interface IssuedToken {
  row: AccessToken;
  token: string;
}

export interface TokenRequest {
  userId: number;
  name: string;
  description?: string | null | undefined;
  scopes: readonly Scope[];
  /** `YYYY-MM-DD`; a year from now where it is left out. */
  expiresAt?: string | null | undefined;
  impersonation?: boolean;
  createdById: number | null;
}

const MAX_LENGTH = 255;
const TOO_LONG = [`is too long (maximum is ${MAX_LENGTH} characters)`];

function checkTexts({ name, description }: TokenRequest): void {
  if (name.trim() === '') throw fail.invalid({ name: ["can't be blank"] });
  if (name.length > MAX_LENGTH) throw fail.invalid({ name: TOO_LONG });
  if ((description ?? '').length > MAX_LENGTH) throw fail.invalid({ description: TOO_LONG });
}

/** Throws 400 for a blank name and for a day out of bounds. Whether the scopes may be given is the caller's to ask. */
export async function issueToken(tx: Tx, request: TokenRequest, now: number): Promise<IssuedToken> {
  checkTexts(request);
  const token = newToken('personal');
  const row = await insertToken(tx, {
    user_id: request.userId,
    name: request.name,
    description: request.description ?? null,
    token_hash: tokenHash(token),
    scopes: [...new Set(request.scopes)].join(','),
    impersonation: request.impersonation ? 1 : 0,
    expires_at: expiryDay(request.expiresAt, now, MAX_LIFETIME_DAYS),
    last_used_at: null,
    created_by_id: request.createdById,
    created_at: now,
    updated_at: now,
  });
  return { row, token };
}

/** Revokes a token and issues its successor, or neither. Throws 400 where it was revoked already. */
export function rotateToken(
  database: Database,
  old: AccessToken,
  { expiresAt, byUserId, now }: { expiresAt: string | null | undefined; byUserId: number; now: number },
): Promise<IssuedToken> {
  const expires = expiryDay(expiresAt, now, ROTATED_LIFETIME_DAYS);
  return database.transaction(async (tx) => {
    if (!(await revokeToken(tx, old.id, now))) throw fail.refused('token already revoked');
    const token = newToken('personal');
    const row = await insertToken(tx, {
      user_id: old.user_id,
      name: old.name,
      description: old.description,
      token_hash: tokenHash(token),
      scopes: old.scopes,
      impersonation: old.impersonation,
      expires_at: expires,
      last_used_at: null,
      created_by_id: byUserId,
      created_at: now,
      updated_at: now,
    });
    return { row, token };
  });
}
