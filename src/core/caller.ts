import type { Scope } from '../platform/http/route.ts';
import type { User } from './tables.ts';

/** Who a call acts as, after authentication and sudo. */
export interface Caller {
  readonly user: User;
  /** Administrator, and not acting as somebody else who is none. */
  readonly admin: boolean;
  readonly scopes: ReadonlySet<Scope>;
  /** The personal access token in use; null for job tokens. */
  readonly tokenId: number | null;
  /** The running job whose token it is. */
  readonly job: { id: number; projectId: number } | null;
}

/** As much of a caller as rights depend on; what the service itself passes when it acts for somebody. */
export type Actor = Pick<Caller, 'user' | 'admin'>;

/**
 * Whose rights count in a project that lets the caller in: of a job its user's, those of an administrator included, or he could begin
 * pipelines that cannot fetch their own code. The token itself is never one of an administrator.
 */
export const asItsUser = ({ user, admin, job }: Caller): Actor => ({
  user,
  admin: job === null ? admin : user.is_admin === 1,
});

/** Somebody or nobody: git over HTTP also knows clients that sent no credentials. */
export type Visitor = Actor | null;
