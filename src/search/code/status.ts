import type { Clock } from '../../platform/clock.ts';
import type { CodeIndex } from './code-index.ts';
import { isWiki, projectIdOf } from './corpora.ts';
import type { Indexer, Running } from './indexer.ts';
import type { Work } from './work-queue.ts';

/** What the index is doing, for administrators and for `ingot index`. */
export interface SearchStatus {
  state: 'idle' | 'indexing';
  enabled: boolean;
  indexed_blobs: number;
  indexed_projects: number;
  pending_projects: number;
  /** On disk. */
  bytes: number;
  segments: number;
  running: RunningStatus[];
  failing: FailingStatus[];
}

export interface RunningStatus {
  project_id: number;
  wiki: boolean;
  /** What is read now; commits come first. */
  what: 'commits' | 'files';
  /** Of these: read, and to be read. */
  done: number;
  total: number;
  seconds: number;
  /** null until it can be told. */
  seconds_left: number | null;
}

export interface FailingStatus {
  project_id: number;
  wiki: boolean;
  attempts: number;
  error: string;
  /** Milliseconds since the epoch. */
  next_attempt_at: number;
}

export const NO_INDEX: SearchStatus = {
  state: 'idle',
  enabled: false,
  indexed_blobs: 0,
  indexed_projects: 0,
  pending_projects: 0,
  bytes: 0,
  segments: 0,
  running: [],
  failing: [],
};

const MAX_FAILING = 100;

export interface Observed {
  indexer: Indexer;
  /** Null as long as it is not open. */
  index: CodeIndex | null;
  /** Whether the projects are still being compared with the index. */
  comparing: boolean;
  clock: Clock;
}

export function statusOf({ indexer, index, comparing, clock }: Observed): SearchStatus {
  const now = clock.now();
  const figures = index?.status();
  return {
    state: indexer.busy || comparing ? 'indexing' : 'idle',
    enabled: true,
    indexed_blobs: figures?.blobs ?? 0,
    indexed_projects: new Set([...(index?.corpora().keys() ?? [])].map(projectIdOf)).size,
    pending_projects: indexer.pendingProjects,
    bytes: figures?.bytes ?? 0,
    segments: figures?.segments ?? 0,
    running: indexer.running.map((running) => presentRunning(running, now)),
    failing: indexer.failing.slice(0, MAX_FAILING).map(presentFailing),
  };
}

function presentRunning(running: Running, now: number): RunningStatus {
  const { name, what, done, total, startedAt } = running;
  const seconds = Math.max(0, (now - startedAt) / 1000);
  return {
    project_id: projectIdOf(name),
    wiki: isWiki(name),
    what,
    done,
    total,
    seconds: Math.round(seconds * 10) / 10,
    seconds_left: secondsLeft(running, now),
  };
}

/** By the pace so far; null when nothing is done yet. */
export function secondsLeft({ done, total, phaseStartedAt }: Running, now: number): number | null {
  if (done === 0 || total === 0) return null;
  return Math.ceil(((now - phaseStartedAt) / 1000 / done) * Math.max(total - done, 0));
}

const presentFailing = ({ name, attempts, lastError, dueAt }: Work): FailingStatus => ({
  project_id: projectIdOf(name),
  wiki: isWiki(name),
  attempts,
  error: lastError ?? '',
  next_attempt_at: dueAt,
});
