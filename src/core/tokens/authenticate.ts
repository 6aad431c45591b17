import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { WhileUnchanged } from '../../platform/db/unchanged.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import type { AuthRequirements } from '../../platform/http/api.ts';
import type { Credentials } from '../../platform/http/credentials.ts';
import type { Scope } from '../../platform/http/route.ts';
import type { Log } from '../../platform/log.ts';
import type { Caller } from '../caller.ts';
import type { User } from '../tables.ts';
import { findUserByReference } from '../users/store.ts';
import { DayText } from './expiry.ts';
import { type TokenFacts, TokenLookup } from './lookup-store.ts';
import { tokenHash } from './secret.ts';
import { markUsed } from './store.ts';

/** A token's `last_used_at` is written at most this often: it is for people, and every call would be a write. */
const USED_RESOLUTION_MS = 10 * 60_000;

interface Deps {
  database: Database;
  clock: Clock;
  log: Log;
}

/** A personal token with the caller that it makes: what no call of its own changes. */
export interface Known {
  token: TokenFacts;
  caller: Caller;
}

/** Turns credentials into a caller. Texts and their order are GitLab's. */
export class Authenticator {
  readonly #deps: Deps;
  readonly #lookup: TokenLookup;
  readonly #personal: WhileUnchanged<Known | undefined>;
  /** Tokens that are in no database, by hash. */
  readonly #admitted = new Map<string, Known>();
  readonly #day = new DayText();
  /** By the text they are kept as: what it says never changes. */
  readonly #scopes = new LRUCache<string, ReadonlySet<Scope>>({ max: 100 });

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#lookup = new TokenLookup(deps.database.db);
    this.#personal = new WhileUnchanged(deps.database);
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
    if (token !== null) {
      const hash = tokenHash(token);
      const known = await this.#personal.get(hash, () => this.#look(hash));
      if (known) return this.#use(known);
      // One value may be offered as either kind (bearer); a wrong personal token is not saved by a good job token.
      if (jobToken !== token) throw fail.unauthorized();
    }
    return jobToken === null ? null : this.#byJobToken(jobToken);
  }

  /** Takes a token that only this process knows, until it is revoked. */
  admit(token: string, known: Known): void {
    this.#admitted.set(tokenHash(token), known);
  }

  async #byJobToken(jobToken: string): Promise<Caller> {
    const row = await this.#lookup.job(tokenHash(jobToken));
    if (!row) throw fail.unauthorized();
    const job = { id: row.jobId, projectId: row.projectId };
    return { user: row.user, admin: false, scopes: new Set(), tokenId: null, job };
  }

  async #look(hash: string): Promise<Known | undefined> {
    const admitted = this.#admitted.get(hash);
    if (admitted) return admitted;
    const row = await this.#lookup.personal(hash);
    if (!row) return undefined;
    const { token, user } = row;
    const scopes = this.#scopesOf(token.scopes);
    return { token, caller: { user, admin: user.is_admin === 1, scopes, tokenId: token.id, job: null } };
  }

  #use({ token, caller }: Known): Caller {
    const now = this.#deps.clock.now();
    const today = this.#day.of(now);
    refuseDead(token, today);
    if (caller.tokenId !== null) this.#noteUse(token, caller.user, { now, today });
    return caller;
  }

  #scopesOf(text: string): ReadonlySet<Scope> {
    const known = this.#scopes.get(text);
    if (known) return known;
    const scopes = new Set(text.split(',') as Scope[]);
    this.#scopes.set(text, scopes);
    return scopes;
  }

  /** Not awaited: a call need not wait for dates that only people read. */
  #noteUse(token: TokenFacts, user: User, { now, today }: { now: number; today: string }): void {
    const before = now - USED_RESOLUTION_MS;
    const isFresh = token.last_used_at !== null && token.last_used_at > before;
    if (isFresh && user.last_activity_on === today) return;
    markUsed(this.#deps.database, { tokenId: token.id, userId: user.id, now, before, today }).catch(
      (error: unknown) => this.#deps.log.warn({ err: error }, 'last use of a token was not noted'),
    );
  }

  /** Acts as somebody else from here on, blocked or not; what the administrator's token may do otherwise does not matter. */
  async #sudo(caller: Caller, reference: string): Promise<Caller> {
    if (!caller.admin) throw fail.forbidden('Must be admin to use sudo');
    if (!caller.scopes.has('sudo')) throw insufficientScope(['sudo']);
    const user = isText(reference) ? await findUserByReference(this.#deps.database.db, reference) : undefined;
    if (!user) throw fail.notFound(`User with ID or username '${reference.slice(0, 255)}'`);
    return { ...caller, user, admin: user.is_admin === 1 };
  }
}

/** No database keeps such text, so nobody is called that. */
const isText = (value: string) => !value.includes('\0') && value.isWellFormed();

/** Expired before revoked, as GitLab tests them. */
function refuseDead(token: TokenFacts, today: string): void {
  if (token.expires_at !== null && token.expires_at <= today) throw deadToken('token_expired');
  if (token.revoked === 1) throw deadToken('token_revoked');
}

function deadToken(code: 'token_expired' | 'token_revoked'): ApiError {
  const { body } = new ApiError(code);
  const { error, error_description: description } = body as Record<string, string>;
  const challenge = `Bearer realm="Protected by OAuth 2.0", error="${error}", error_description="${description}"`;
  return new ApiError(code, {}, { headers: { 'www-authenticate': challenge } });
}

const DEACTIVATED =
  'Your account has been deactivated by your administrator. Please log back in to reactivate your account.';

function demandActive(user: User): void {
  if (user.state === 'active') return;
  throw fail.forbidden(user.state === 'deactivated' ? DEACTIVATED : 'Your account has been blocked.');
}

function demandScope(scopes: ReadonlySet<Scope>, accepted: Scope[]): void {
  if (!accepted.some((scope) => scopes.has(scope))) throw insufficientScope(accepted);
}

/** GitLab names `read_api` here also on routes where it would not do. */
function insufficientScope(accepted: Scope[]): ApiError {
  const scope = accepted[0] === 'sudo' ? 'sudo' : [...new Set([...accepted, 'read_api'])].join(' ');
  return new ApiError('insufficient_scope', {}, { body: { scope } });
}
