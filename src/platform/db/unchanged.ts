import type { Database } from './database.ts';

/** Entries of one memo; when it is full it begins anew. */
const MAX_ENTRIES = 1000;

/**
 * What was read from the database, good for as long as nothing at all has changed in it. Between two writes a busy reader
 * asks for the same token and the same project thousands of times: a number compared costs less than a row read (15 us).
 *
 * Where the database is shared with other processes it has no version, and every call reads.
 */
export class WhileUnchanged<V> {
  readonly #database: Pick<Database, 'version'>;
  readonly #known = new Map<string, V>();
  #version: number | null = null;

  constructor(database: Pick<Database, 'version'>) {
    this.#database = database;
  }

  /** What is known under `key`, else what `read` gives. Rejections, `undefined`, and what a write overtook are not kept. */
  get(key: string, read: () => Promise<V>): V | Promise<V> {
    const version = this.#database.version();
    if (version === null) return read();
    if (version !== this.#version) {
      this.#known.clear();
      this.#version = version;
    }
    const known = this.#known.get(key);
    return known === undefined ? this.#read(key, read, version) : known;
  }

  async #read(key: string, read: () => Promise<V>, version: number): Promise<V> {
    const value = await read();
    if (this.#database.version() !== version || this.#version !== version) return value;
    if (this.#known.size >= MAX_ENTRIES) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}
