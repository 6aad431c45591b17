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

/** Nobody: what git over HTTP knows of a client that sent no credentials. */
export type Visitor = Caller | null;
