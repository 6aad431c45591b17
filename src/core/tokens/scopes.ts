import { ApiError, fail } from '../../platform/errors.ts';
import type { Scope } from '../../platform/http/route.ts';
import type { Caller } from '../caller.ts';
import type { User } from '../tables.ts';

/** Scopes that a personal access token may have here: those that some route asks for. */
export const SCOPES = [
  'api',
  'read_user',
  'read_api',
  'read_repository',
  'write_repository',
  'create_runner',
  'manage_runner',
  'self_rotate',
  'sudo',
  'admin_mode',
] as const satisfies readonly Scope[];

/** Power over other people's things: `api` does not include them, and only administrators have them. */
const ADMIN_SCOPES: ReadonlySet<Scope> = new Set(['sudo', 'admin_mode']);

export const scopeList = (stored: string): Scope[] => stored.split(',') as Scope[];

/** Throws 400 where the scopes are none that the owner can have. */
export function demandOwnable(scopes: readonly Scope[], owner: User): void {
  if (scopes.length === 0) throw fail.invalid({ scopes: ["can't be blank"] });
  const forAdmins = scopes.some((scope) => ADMIN_SCOPES.has(scope));
  if (forAdmins && owner.is_admin === 0) {
    throw fail.invalid({ scopes: ['can only contain available scopes'] });
  }
}

/** Throws 403 where the caller's own token does not reach as far as the one to be made. */
export function demandGrantable(scopes: readonly Scope[], caller: Caller): void {
  const lacking = scopes.filter((scope) => !covers(caller.scopes, scope));
  if (lacking.length > 0) {
    throw new ApiError('insufficient_scope', {}, { body: { scope: lacking.join(' ') } });
  }
}

/** Whoever holds `api` could do all that the lesser scopes allow, so handing them on gives nothing away. */
function covers(held: ReadonlySet<Scope>, asked: Scope): boolean {
  if (held.has(asked)) return true;
  return held.has('api') && !ADMIN_SCOPES.has(asked);
}
