/** One queue per name, kept only while somebody is in it. */
export class NamedMutexes {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` after everything that asked for `name` before has ended. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(name);
    const { promise: tail, resolve: done } = Promise.withResolvers<void>();
    this.#tails.set(name, tail);
    try {
      await before;
      return await work();
    } finally {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
      done();
    }
  }
}
