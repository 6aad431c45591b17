import { type PreparedQuery, prepared } from '../../platform/db/prepared.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { User } from '../tables.ts';

/** What a call must know of the token that it carries. */
export interface TokenFacts {
  id: number;
  /** Comma-separated. */
  scopes: string;
  revoked: number;
  expires_at: string | null;
  last_used_at: number | null;
}

export interface TokenWithUser {
  token: TokenFacts;
  user: User;
}

export interface JobTokenWithUser {
  jobId: number;
  projectId: number;
  user: User;
}

type ByHash = { hash: string };
type PersonalRow = User & { token_id: number; token_scopes: string } & Omit<TokenFacts, 'id' | 'scopes'>;
type JobRow = User & { job_id: number; project_id: number };

/** Looks up the credentials of every call: one statement each, composed once (11 us a call on SQLite). */
export class TokenLookup {
  readonly #personal: PreparedQuery<ByHash, PersonalRow>;
  readonly #job: PreparedQuery<ByHash, JobRow>;

  constructor(db: Db) {
    this.#personal = personalTokens(db);
    this.#job = jobTokens(db);
  }

  /** By hash, whatever its state: the caller says why a dead one is refused. */
  async personal(hash: string): Promise<TokenWithUser | undefined> {
    const [row] = await this.#personal({ hash });
    if (!row) return undefined;
    const { token_id: id, token_scopes: scopes, revoked, expires_at, last_used_at } = row;
    // The row itself is the user: taking the five columns out of forty would cost more than reading them.
    return { token: { id, scopes, revoked, expires_at, last_used_at }, user: row };
  }

  async job(hash: string): Promise<JobTokenWithUser | undefined> {
    const [row] = await this.#job({ hash });
    if (!row) return undefined;
    const { job_id: jobId, project_id: projectId, ...user } = row;
    return { jobId, projectId, user };
  }
}

const personalTokens = (db: Db): PreparedQuery<ByHash, PersonalRow> =>
  prepared(db, (from, at: ByHash) =>
    from
      .selectFrom('access_tokens as token')
      .innerJoin('users', 'users.id', 'token.user_id')
      .selectAll('users')
      .select(['token.id as token_id', 'token.scopes as token_scopes'])
      .select(['token.revoked', 'token.expires_at', 'token.last_used_at'])
      .where('token.token_hash', '=', at.hash),
  );

const jobTokens = (db: Db): PreparedQuery<ByHash, JobRow> =>
  prepared(db, (from, at: ByHash) =>
    from
      .selectFrom('job_tokens as token')
      .innerJoin('users', 'users.id', 'token.user_id')
      .selectAll('users')
      .select(['token.job_id', 'token.project_id'])
      .where('token.token_hash', '=', at.hash),
  );
