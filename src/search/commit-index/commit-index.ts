import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { GitRunner } from '../../git/process.ts';
import type { Log } from '../../platform/log.ts';
import type { CorpusState, UpdateOptions } from '../code/code-index.ts';
import { type Found, findMatches, type Window } from '../text/walk.ts';
import { commitIds, readMessages, type Source } from './read-messages.ts';
import { COMMITS_FILE, CommitStore, type FoundRow } from './store.ts';
import { commitWalk } from './walk.ts';

export interface CommitIndexOptions {
  /** The folder for its file. */
  dir: string;
  git: GitRunner;
  log: Log;
}

/** Written at once, some 3 ms; then others get their turn. */
const SLICE = 25;

/**
 * What the messages of commits say, over all projects: those behind the tip of each default branch. A file of this machine that is
 * kept up beside the code index, by the same updates; it can be deleted like that.
 */
export class CommitIndex {
  readonly #store: CommitStore;
  readonly #git: GitRunner;
  /** By project. */
  readonly #tips = new Map<number, string>();
  /** Projects whose last update was cut short: what is there of them is of no known commit. */
  readonly #torn = new Set<number>();

  constructor(store: CommitStore, git: GitRunner) {
    this.#store = store;
    this.#git = git;
    for (const { projectId, tip, next } of store.tips()) {
      if (tip !== null && next === null) this.#tips.set(projectId, tip);
      else this.#torn.add(projectId);
    }
  }

  /** The commit up to which the project was read. */
  tip(projectId: number): string | undefined {
    return this.#tips.get(projectId);
  }

  /** Every project that is in it. */
  projects(): number[] {
    return [...this.#tips.keys(), ...this.#torn];
  }

  /** On disk. */
  get bytes(): number {
    return this.#store.bytes;
  }

  /** Makes the project's commits what lies behind this one. Reads only what is new, but everything after an update that was cut short. */
  async update(
    projectId: number,
    { repository, commit }: CorpusState,
    { signal, onProgress }: UpdateOptions = {},
  ): Promise<void> {
    const before = this.#tips.get(projectId);
    if (before === commit) return;
    const source: Source = { git: this.#git, repository, signal };
    const change = before === undefined ? null : await changeBetween(source, before, commit);
    this.#tips.delete(projectId);
    this.#torn.add(projectId);
    this.#store.begin(projectId, commit);
    if (change === null) await this.#empty(projectId);
    await this.#take(projectId, change?.removed ?? []);
    const added = change?.added ?? (await commitIds(source, commit, null)) ?? [];
    await this.#add(projectId, source, added, onProgress);
    this.#store.finish(projectId, commit);
    this.#torn.delete(projectId);
    this.#tips.set(projectId, commit);
  }

  async remove(projectIds: readonly number[]): Promise<void> {
    for (const projectId of projectIds) {
      this.#tips.delete(projectId);
      this.#torn.delete(projectId);
      await this.#empty(projectId);
      this.#store.forget(projectId);
    }
  }

  /** Commits of these projects whose message, author or id has the text, newest first. */
  find(projectIds: readonly number[], text: string, window: Window): Promise<Found<FoundRow>> {
    const { walk, query } = commitWalk(this.#store, projectIds, text);
    return findMatches(walk, query, window);
  }

  close(): void {
    this.#store.close();
  }

  async #empty(projectId: number): Promise<void> {
    while (this.#store.takeSome(projectId, SLICE) > 0) await setImmediate();
  }

  async #take(projectId: number, ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += SLICE) {
      this.#store.take(projectId, ids.slice(at, at + SLICE));
      await setImmediate();
    }
  }

  async #add(
    projectId: number,
    source: Source,
    ids: readonly string[],
    onProgress: UpdateOptions['onProgress'],
  ): Promise<void> {
    let done = 0;
    for await (const commits of readMessages(source, ids)) {
      for (let at = 0; at < commits.length; at += SLICE) {
        source.signal?.throwIfAborted();
        this.#store.add(projectId, commits.slice(at, at + SLICE));
        await setImmediate();
      }
      done += commits.length;
      onProgress?.({ what: 'commits', done, total: ids.length });
    }
  }
}

/** Null when the commit before is gone from the repository, as after a force push and some housekeeping. */
async function changeBetween(source: Source, before: string, after: string) {
  const added = await commitIds(source, after, before);
  const removed = added && (await commitIds(source, before, after));
  return added && removed && { added, removed };
}

/** A file that cannot be read is made anew: the projects are read again. */
export function openCommitIndex({ dir, git, log }: CommitIndexOptions): CommitIndex {
  const path = join(dir, COMMITS_FILE);
  try {
    return new CommitIndex(new CommitStore(path), git);
  } catch (error) {
    log.warn({ err: error }, 'the index of commits cannot be read and is made anew');
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    return new CommitIndex(new CommitStore(path), git);
  }
}
