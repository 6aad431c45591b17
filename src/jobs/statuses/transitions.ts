import { fail } from '../../platform/errors.ts';
import type { JobRow } from '../tables.ts';

/** What a client may post. */
export const POSTED_STATES = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const;
export type PostedState = (typeof POSTED_STATES)[number];

/** GitLab names the event, not the state, in its refusal. */
const EVENTS: Record<PostedState, string> = {
  pending: 'enqueue',
  running: 'run',
  success: 'success',
  failed: 'drop',
  canceled: 'cancel',
  skipped: 'skip',
};

/** The open states that an update may come from. A status that has ended takes no update: a new one is made. */
const FROM: Record<PostedState, readonly string[]> = {
  pending: [],
  running: ['pending'],
  success: ['pending', 'running'],
  failed: ['pending', 'running'],
  canceled: ['pending', 'running'],
  skipped: ['pending'],
};

type Changes = Pick<JobRow, 'status' | 'queued_at' | 'started_at' | 'finished_at' | 'failure_reason'>;

/**
 * What a posted state makes of a status; `from` null is a status that is not there yet, which may be anything at once.
 * Throws 400 in GitLab's words where the state machine has no such step.
 */
export function transition(from: JobRow | null, to: PostedState, now: number): Changes {
  if (from !== null && !FROM[to].includes(from.status)) throw refusal(from.status, EVENTS[to]);
  const ended = to === 'success' || to === 'failed' || to === 'canceled';
  return {
    status: to,
    queued_at: from?.queued_at ?? (to === 'pending' || to === 'running' ? now : null),
    started_at: to === 'running' ? now : (from?.started_at ?? null),
    finished_at: ended ? now : null,
    failure_reason: to === 'failed' ? 'api_failure' : null,
  };
}

function refusal(status: string, event: string) {
  const reason = `Status cannot transition via "${event}"`;
  return fail.refused(`Cannot transition status via :${event} from :${status} (Reason(s): ${reason})`);
}
