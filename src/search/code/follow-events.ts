import { setTimeout as sleep } from 'node:timers/promises';
import type { EventTypes } from '../../platform/events/event.ts';
import type { Events } from '../../platform/events/events.ts';
import type { Log } from '../../platform/log.ts';
import type { CorpusName } from './code-index.ts';
import '../../core/events.ts';
import '../../core/repository/events.ts';

const TYPES = ['ref.moved', 'wiki.moved', 'project.updated', 'project.deleted'] as const;
type FollowedType = (typeof TYPES)[number];

type Followed = { [T in FollowedType]: { type: T; payload: EventTypes[T] } }[FollowedType];

const BRANCHES = 'refs/heads/';
const BATCH = 200;
const POLL_MS = 1000;

/**
 * The corpora that an event may have changed. Renames, transfers, archives and changes of visibility change none: repositories
 * stay where they are, and who may see what is asked of the database with each search.
 */
function corporaOf(event: Followed): CorpusName[] {
  const { projectId } = event.payload;
  switch (event.type) {
    // Which branch is the default one the indexer asks itself: the first push makes it so in the same transaction.
    case 'ref.moved':
      return event.payload.ref.startsWith(BRANCHES) ? [`project:${projectId}`] : [];
    case 'wiki.moved':
      return [`wiki:${projectId}`];
    case 'project.updated':
      return event.payload.changes.defaultBranch ? [`project:${projectId}`] : [];
    case 'project.deleted':
      return [`project:${projectId}`, `wiki:${projectId}`];
  }
}

/** Tells of what this process does, at its commit: a search right after a push must know that the index is behind. */
export function witnessOwnEvents(events: Events, touch: (name: CorpusName) => void): void {
  events.witness(TYPES, (event) => corporaOf(event as Followed).forEach(touch));
}

/**
 * Tells of what all processes do, by the log, which says it up to a second later. Each node has an index of its own and reads
 * for itself, so this is no subscription: only the leader would get it.
 */
export class LogFollower {
  readonly #events: Events;
  readonly #log: Log;
  readonly #touch: (name: CorpusName) => void;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();

  constructor({ events, log }: { events: Events; log: Log }, touch: (name: CorpusName) => void) {
    this.#events = events;
    this.#log = log;
    this.#touch = touch;
  }

  /** From what comes after `position` on. */
  start(position: number): void {
    this.#following = this.#follow(position);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async #follow(from: number): Promise<void> {
    const { signal } = this.#stop;
    let position = from;
    while (!signal.aborted) {
      const read = await this.#read(position);
      for (const event of read) corporaOf(event).forEach(this.#touch);
      position = read.at(-1)?.position ?? position;
      if (read.length === BATCH) continue;
      await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => {}); // ended by stop, which the loop sees
    }
  }

  /** A database that is away is back later; nothing is passed over. */
  async #read(position: number) {
    try {
      return await this.#events.readSince(position, TYPES, BATCH);
    } catch (error) {
      if (!this.#stop.signal.aborted)
        this.#log.warn({ err: error }, 'the code index could not read the event log');
      return [];
    }
  }
}
