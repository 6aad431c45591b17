import type { JobStatus } from '../states.ts';

export interface Summarised {
  status: JobStatus;
  /** A failure of it does not count. */
  allowFailure: boolean;
}

/** What a job counts as: its status, or one of two words for those that may fail. */
type Kind = JobStatus | 'warning' | 'ignored';

/** The first rule that fits wins; `only` fits when there is no job of another kind, `any` when there is one of these. */
const RULES: readonly ({ only: readonly Kind[]; is: JobStatus } | { any: readonly Kind[]; is: JobStatus })[] =
  [
    { only: ['skipped', 'ignored'], is: 'skipped' },
    { only: ['success', 'skipped', 'warning', 'ignored'], is: 'success' },
    { only: ['created', 'warning', 'ignored'], is: 'created' },
    { only: ['preparing', 'warning', 'ignored'], is: 'preparing' },
    { only: ['canceled', 'success', 'skipped', 'warning', 'ignored'], is: 'canceled' },
    { only: ['pending', 'created', 'skipped', 'warning', 'ignored'], is: 'pending' },
    { any: ['running', 'pending'], is: 'running' },
    { any: ['waiting_for_resource'], is: 'waiting_for_resource' },
    { any: ['waiting_for_callback'], is: 'waiting_for_callback' },
    { any: ['manual'], is: 'manual' },
    { any: ['scheduled'], is: 'scheduled' },
    { any: ['preparing'], is: 'preparing' },
    { any: ['created'], is: 'running' },
    { any: ['canceling'], is: 'canceling' },
  ];

const SETTLED: readonly Kind[] = ['success', 'failed', 'canceled', 'skipped', 'warning'];

/**
 * The same for what a job `needs`, where one that was skipped or may be left out counts: the job has nothing to build on. As long
 * as one of them may still change it is `pending`.
 */
export function needsSummaryOf(jobs: readonly Summarised[]): JobStatus | null {
  const kinds = jobs.map(kindOf);
  if (kinds.some((kind) => kind === 'skipped' || kind === 'ignored')) return 'skipped';
  if (kinds.some((kind) => !SETTLED.includes(kind))) return 'pending';
  return summaryOf(jobs);
}

/** One status for many jobs (those that no newer one stands for), by GitLab's rules; null when there are none. */
export function summaryOf(jobs: Iterable<Summarised>): JobStatus | null {
  const kinds = new Set<Kind>();
  for (const job of jobs) kinds.add(kindOf(job));
  if (kinds.size === 0) return null;
  for (const rule of RULES) {
    const fits =
      'only' in rule
        ? [...kinds].every((kind) => rule.only.includes(kind))
        : rule.any.some((kind) => kinds.has(kind));
    if (fits) return rule.is;
  }
  return 'failed';
}

function kindOf({ status, allowFailure }: Summarised): Kind {
  if (!allowFailure) return status;
  if (status === 'failed' || status === 'canceled') return 'warning';
  return status === 'manual' ? 'ignored' : status;
}
