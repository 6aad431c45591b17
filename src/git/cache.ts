import { LRUCache } from 'lru-cache';
import type { Cell, Metrics } from '../platform/metrics.ts';
import type { Diff } from './diff.ts';
import type { Commit, ObjectInfo, Tag, TreeEntry } from './objects.ts';
import type { PackedRefs } from './packed-refs.ts';
import type { RefSnapshot } from './refs.ts';
import type { Repository } from './repository.ts';
import type { CommitStats } from './stats.ts';

/**
 * Results that their key names for ever: object ids, or a stamp that the reader checks before it believes the value.
 * Keys begin with the repository, because an object of one repository must not be found through another.
 */
export class ObjectCache<V extends object | string | number | boolean> {
  readonly #entries: LRUCache<string, { value: V }>;
  readonly #hits: Cell;
  readonly #misses: Cell;

  constructor(name: string, maxBytes: number, metrics: Metrics, sizeOf: (value: V) => number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (entry, key) => 200 + key.length + sizeOf(entry.value),
    });
    const cell = { cache: name };
    this.#hits = metrics.tally('ingot_cache_hits_total', 'answers found in a cache', ['cache']).cell(cell);
    this.#misses = metrics
      .tally('ingot_cache_misses_total', 'answers that had to be computed', ['cache'])
      .cell(cell);
  }

  get(repo: Repository, key: string): V | undefined {
    const entry = this.#entries.get(`${repo.relativePath} ${key}`);
    if (entry) this.#hits.count++;
    else this.#misses.count++;
    return entry?.value;
  }

  set(repo: Repository, key: string, value: V): void {
    this.#entries.set(`${repo.relativePath} ${key}`, { value });
  }

  /** Forgets one repository: it was removed and its path may be used again. */
  forget(repo: Repository): void {
    const prefix = `${repo.relativePath} `;
    for (const key of [...this.#entries.keys()]) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}

export interface GitCaches {
  commits: ObjectCache<Commit>;
  trees: ObjectCache<TreeEntry[]>;
  tags: ObjectCache<Tag>;
  info: ObjectCache<ObjectInfo>;
  history: ObjectCache<string[]>;
  /** Answers of one word: a count, a merge base, the last commit of a path. */
  facts: ObjectCache<string>;
  diffs: ObjectCache<Diff>;
  stats: ObjectCache<CommitStats>;
  refs: ObjectCache<RefSnapshot>;
  packedRefs: ObjectCache<PackedRefs>;
}

/** Shares of the whole that suit browsing: commits and diffs are asked for again most. */
export function createCaches(metrics: Metrics, bytes: number): GitCaches {
  const share = (part: number) => Math.max(64 * 1024, Math.floor(bytes * part));
  return {
    commits: new ObjectCache('git_commits', share(0.25), metrics, (c) => 600 + 2 * c.message.length),
    trees: new ObjectCache('git_trees', share(0.1), metrics, (t) => 200 * t.length),
    tags: new ObjectCache('git_tags', share(0.01), metrics, (t) => 400 + 2 * t.message.length),
    info: new ObjectCache('git_info', share(0.02), metrics, () => 150),
    history: new ObjectCache('git_history', share(0.08), metrics, (ids) => 60 * ids.length),
    facts: new ObjectCache('git_facts', share(0.02), metrics, (text) => text.length),
    diffs: new ObjectCache('git_diffs', share(0.2), metrics, diffSize),
    stats: new ObjectCache('git_stats', share(0.02), metrics, () => 50),
    refs: new ObjectCache('git_refs', share(0.25), metrics, (snapshot) => snapshot.bytes),
    packedRefs: new ObjectCache('git_packed_refs', share(0.06), metrics, (packed) => packed.data.length),
  };
}

function diffSize({ files }: Diff): number {
  return files.reduce((sum, f) => sum + 300 + 2 * (f.diff.length + f.oldPath.length + f.newPath.length), 100);
}
