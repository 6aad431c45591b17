import type { ApiRequest, CallerBase } from './request.ts';
import type { Static, TObject, TSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Personal access token scopes that a route may accept beside `api` (everything) and `read_api` (reads). */
export type Scope =
  | 'api'
  | 'read_api'
  | 'read_user'
  | 'read_repository'
  | 'write_repository'
  | 'create_runner'
  | 'manage_runner'
  | 'self_rotate'
  | 'sudo'
  | 'admin_mode';

/** What a route is: its documentation, its parameters, who may ask and what happens. */
export interface RouteSpec<Caller extends CallerBase | null, P extends TObject, Guarded> {
  /** One line for the OpenAPI document. */
  summary: string;
  description?: string;
  /** Every parameter, those in the path first. Path beats body beats query. */
  params: P;
  /** Body schema by status; null where the answer has no JSON (204, a file). */
  responses: Record<number, TSchema | null>;
  /** Scopes accepted beside `api` and, for reads, `read_api`. */
  scopes?: readonly Scope[];
  /** Job tokens are accepted here. */
  jobToken?: true;
  /** In bytes; the server's default otherwise. */
  bodyLimit?: number;
  /** The handler reads the body from `call.incoming` itself, whatever its type: for bytes, and for what is too big to be collected. */
  ownBody?: true;
  /** GitLab's "before" hooks: runs after authentication and before the parameters are checked, so its 403 and 404 win over a 400. */
  guard?: (call: GuardCall<Caller>) => Guarded | Promise<Guarded>;
  /** Problems that no single parameter shows, in GitLab's words, added to the list of the others. */
  check?: (raw: Record<string, unknown>) => string[];
  handler: (request: ApiRequest<Caller, Static<P>, Guarded>) => unknown;
}

/** What a guard may look at: the parameters are not checked yet, so it reads raw path parameters. */
export interface GuardCall<Caller extends CallerBase | null> {
  caller: Caller;
  method: string;
  /** Path parameters, decoded. */
  path: Record<string, string>;
  /** Path, body and query parameters as sent. */
  raw: Record<string, unknown>;
  /** The address as asked for, for a redirect: path and query. */
  url: string;
  baseUrl: string;
}

/** A route as the registry keeps it, types forgotten. */
export interface RouteRecord {
  method: Method;
  path: string;
  /** The room it belongs to: the tag in the OpenAPI document. */
  tag: string;
  /** No user is asked for. */
  open: boolean;
  spec: RouteSpec<CallerBase | null, TObject, unknown>;
}
