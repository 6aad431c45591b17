import { isMap, nodesOf, type Yaml } from './value.ts';

/**
 * A piece of documents on its way between threads. Taking a message apart holds up the thread that gets it, so a large document
 * goes in many small ones, key by key.
 */
export type Part = { whole: Yaml } | { entries: [string, Yaml][] } | { end: 'document' | 'all' };

const NODES_IN_A_PART = 500;

export function* partsOf(documents: Iterable<Yaml>): Generator<Part> {
  for (const document of documents) {
    if (isMap(document)) yield* entriesOf(document);
    else yield { whole: document };
    yield { end: 'document' };
  }
  yield { end: 'all' };
}

function* entriesOf(map: Iterable<readonly [string, Yaml]>): Generator<Part> {
  let entries: [string, Yaml][] = [];
  let nodes = 0;
  for (const [key, value] of map) {
    entries.push([key, value]);
    nodes += nodesOf(value);
    if (nodes < NODES_IN_A_PART) continue;
    yield { entries };
    entries = [];
    nodes = 0;
  }
  yield { entries };
}

/** Puts the parts together again. */
export class Assembly {
  readonly documents: Yaml[] = [];
  #open: Yaml = null;

  /** Whether that was the last. */
  add(part: Part): boolean {
    if ('whole' in part) this.#open = part.whole;
    else if ('entries' in part) this.#open = this.#with(part.entries);
    else if (part.end === 'all') return true;
    else {
      this.documents.push(this.#open);
      this.#open = null;
    }
    return false;
  }

  #with(entries: readonly [string, Yaml][]): Yaml {
    const map = this.#open instanceof Map ? this.#open : new Map<string, Yaml>();
    for (const [key, value] of entries) map.set(key, value);
    return map;
  }
}
