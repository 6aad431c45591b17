import { type CompiledQuery, Kysely, type KyselyConfig } from 'kysely';
import type { Tables } from './tables.ts';

/** Runs one composed SELECT at once and returns its rows. Throws the sentinel errors of `errors.ts`. */
export type DirectRead = <R>(query: Pick<CompiledQuery<R>, 'sql' | 'parameters'>) => R[];

/**
 * A Kysely whose composed reads need not go through its connections: for a database that answers in this very thread, taking
 * one, guarding it and giving it back costs as much as the read itself (7 us of 13). Transactions are another class and
 * never take this way.
 */
export class DirectReads extends Kysely<Tables> {
  readonly read: DirectRead;

  constructor(config: KyselyConfig, read: DirectRead) {
    super(config);
    this.read = read;
  }
}
