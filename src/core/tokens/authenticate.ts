import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import type { AuthRequirements } from '../../platform/http/api.ts';
import type { Credentials } from '../../platform/http/credentials.ts';
import type { Scope } from '../../platform/http/route.ts';
import type { Log } from '../../platform/log.ts';
import type { Caller } from '../caller.ts';
import type { AccessToken, User } from '../tables.ts';
import { findUserByReference } from '../users/store.ts';
import { tokenHash } from './secret.ts';
import { findJobToken, findToken, markUsed, type TokenWithUser } from './store.ts';

/** A token's `last_used_at` is written at most this often: it is for people, and every call would be a write. */
const USED_RESOLUTION_MS = 10 * 60_000;

interface Deps {
  database: Database;
  clock: Clock;
  log: Log;
}

/** Turns credentials into a caller. Texts and their order are GitLab's. */
export class Authenticator {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  readonly authenticate = async (credentials: Credentials, needs: AuthRequirements): Promise<Caller> => {
    const caller = await this.identify(credentials);
    if (caller === null) throw fail.unauthorized();
    demandActive(caller.user);
    if (credentials.sudo !== null) return this.#sudo(caller, credentials.sudo);
    if (caller.job === null) demandScope(caller.scopes, needs.scopes);
    return caller;
  };

  /** The same for git over HTTP: the password of Basic authentication is the token, the user name says only whether it is a job's. */
  async forGit(username: string, password: string): Promise<Caller | null> {
    const isJob = username === 'gitlab-ci-token';
    const caller = await this.identify({
      token: password,
      jobToken: isJob ? password : null,
      sudo: null,
    });
    if (caller !== null) demandActive(caller.user);
    return caller;
  }

  /** Personal token first, then job token; null when nothing was offered, 401 when what was offered is unknown. */
  async identify({ token, jobToken }: Credentials): Promise<Caller | null> {
    const { db } = this.#deps.database;
    if (token !== null) {
      const row = await findToken(db, tokenHash(token));
      if (row) return this.#byToken(row);
      if (jobToken === null) throw fail.unauthorized();
    }
    if (jobToken === null) return null;
    const job = await findJobToken(db, tokenHash(jobToken));
    if (!job) throw fail.unauthorized();
    return {
      user: job.user,
      admin: false,
      scopes: new Set(),
      tokenId: null,
      job: { id: job.job_id, projectId: job.project_id },
    };
  }

  #byToken({ token, user }: TokenWithUser): Caller {
    const now = this.#deps.clock.now();
    refuseDead(token, new Date(now).toISOString().slice(0, 10));
    this.#noteUse(token, user, now);
    return {
      user,
      admin: user.is_admin === 1,
      scopes: new Set(token.scopes.split(',') as Scope[]),
      tokenId: token.id,
      job: null,
    };
  }

  /** Not awaited: a call need not wait for a date that only people read. */
  #noteUse(token: AccessToken, user: User, now: number): void {
    if (token.last_used_at !== null && now - token.last_used_at < USED_RESOLUTION_MS) return;
    token.last_used_at = now;
    const today = new Date(now).toISOString().slice(0, 10);
    markUsed(this.#deps.database.db, { tokenId: token.id, userId: user.id, now, today }).catch(
      (error: unknown) => this.#deps.log.warn({ err: error }, 'last use of a token was not noted'),
    );
  }

  async #sudo(caller: Caller, reference: string): Promise<Caller> {
    if (!caller.admin) throw fail.forbidden('Must be admin to use sudo');
    if (!caller.scopes.has('sudo') && !caller.scopes.has('api')) throw insufficientScope(['sudo']);
    const user = await findUserByReference(this.#deps.database.db, reference);
    if (!user) {
      throw fail.notFound(`User with ID or username '${reference.slice(0, 255)}'`);
    }
    return { ...caller, user, admin: user.is_admin === 1 };
  }
}

/** Expired before revoked, as GitLab tests them. */
function refuseDead(token: AccessToken, today: string): void {
  if (token.expires_at !== null && token.expires_at <= today) throw deadToken('token_expired');
  if (token.revoked === 1) throw deadToken('token_revoked');
}

function deadToken(code: 'token_expired' | 'token_revoked'): ApiError {
  const { body } = new ApiError(code);
  const { error, error_description: description } = body as Record<string, string>;
  const challenge = `Bearer realm="Protected by OAuth 2.0", error="${error}", error_description="${description}"`;
  return new ApiError(code, {}, { headers: { 'www-authenticate': challenge } });
}

function demandActive(user: User): void {
  if (user.state === 'active') return;
  const reason =
    user.state === 'deactivated'
      ? 'Your account has been deactivated by your administrator. Please log back in to reactivate your account.'
      : 'Your account has been blocked.';
  throw fail.forbidden(reason);
}

function demandScope(scopes: ReadonlySet<Scope>, accepted: Scope[]): void {
  if (!accepted.some((scope) => scopes.has(scope))) throw insufficientScope(accepted);
}

/** GitLab names `read_api` here also on routes where it would not do. */
function insufficientScope(accepted: Scope[]): ApiError {
  const scope = accepted[0] === 'sudo' ? 'sudo' : [...new Set([...accepted, 'read_api'])].join(' ');
  return new ApiError('insufficient_scope', {}, { body: { scope } });
}
