import { randomInt } from 'node:crypto';
import type { Leadership, Locks } from './locks.ts';
import { NamedMutexes } from './named-mutexes.ts';

/** For SQLite, where `data-folder.ts` makes sure that there is no other process: every other owner is dead. */
export class LocalLocks implements Locks {
  readonly identity = randomInt(1, 2 ** 31);
  readonly #mutexes = new NamedMutexes();
  readonly #leaders = new Set<string>();

  withLock<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    return this.#mutexes.run(name, () => work(new AbortController().signal));
  }

  async tryLeader(name: string): Promise<Leadership | null> {
    if (this.#leaders.has(name)) return null;
    this.#leaders.add(name);
    return {
      lost: new AbortController().signal,
      release: async () => {
        this.#leaders.delete(name);
      },
    };
  }

  async isAlive(owner: number): Promise<boolean> {
    return owner === this.identity;
  }

  async close(): Promise<void> {}
}
