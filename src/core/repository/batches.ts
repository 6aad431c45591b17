import { setImmediate as yieldToOthers } from 'node:timers/promises';

/** Slices of a list; other requests get their turn between two of them. */
export async function* inBatches<T>(items: readonly T[], size: number): AsyncGenerator<T[]> {
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await yieldToOthers();
    yield items.slice(at, at + size);
  }
}
