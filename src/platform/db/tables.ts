import type { Kysely, Transaction } from 'kysely';

/**
 * Every table of the service, by name. Empty here, because the platform knows nothing of forges: each room adds its own
 * beside its store, by declaration merging:
 *
 * ```ts
 * import type { Generated } from 'kysely';
 *
 * interface UsersTable { id: Generated<number>; username: string; created_at: number }
 *
 * declare module '../platform/db/tables.ts' {
 *   interface Tables { users: UsersTable }
 * }
 * ```
 *
 * The module path is relative to the room's file and ends in `.ts`. Columns hold what both databases give back alike:
 * `number` for integers, times (ms since the epoch) and booleans (0/1), `string` for text and JSON, `null`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms fill it by declaration merging
export interface Tables {}

export type Db = Kysely<Tables>;

/** An open transaction. Store functions take it as their first argument, so that the caller owns the commit. */
export type Tx = Transaction<Tables>;

/** Where a store may read: the database, or a transaction that is under way. */
export type Queryable = Kysely<Tables>;
