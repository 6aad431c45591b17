import type { JobWhen } from '../config/plan.ts';
import { needsSummaryOf, type Summarised, summaryOf } from '../pipelines/status.ts';
import { isComplete, type JobStatus } from '../states.ts';

/** As much of a job as decides what may follow. */
export interface ProcessedJob {
  id: number;
  name: string;
  status: JobStatus;
  allow_failure: number;
  stage_idx: number;
  scheduling: 'stage' | 'dag';
  when: JobWhen;
}

export type Verdict = 'wait' | 'skip' | 'go';

/** After which outcome of what comes before a job begins; after every other one it is skipped. */
const BEGINS_AFTER: Record<JobWhen, readonly JobStatus[]> = {
  on_success: ['success', 'skipped'],
  manual: ['success', 'skipped'],
  delayed: ['success', 'skipped'],
  on_failure: ['failed'],
  always: ['success', 'failed', 'skipped'],
};

/** The current jobs of a pipeline while it is walked: what is decided for one counts for those behind it. */
export class Board {
  readonly #jobs: readonly ProcessedJob[];
  readonly #byName: Map<string, ProcessedJob>;
  readonly #needs: ReadonlyMap<number, readonly string[]>;
  readonly #before = new Map<number, JobStatus | null>();

  /** `needs` has the names of what each job needs, by its id. The jobs are changed as they are decided about. */
  constructor(jobs: readonly ProcessedJob[], needs: ReadonlyMap<number, readonly string[]>) {
    this.#jobs = jobs;
    this.#byName = new Map(jobs.map((job) => [job.name, job]));
    this.#needs = needs;
  }

  /** The jobs nobody has decided about, so that each comes after all that it waits for. */
  undecided(): ProcessedJob[] {
    const ordered: ProcessedJob[] = [];
    const seen = new Set<ProcessedJob>();
    const visit = (job: ProcessedJob) => {
      if (seen.has(job) || job.status !== 'created') return;
      seen.add(job);
      for (const needed of this.#neededBy(job)) visit(needed);
      ordered.push(job);
    };
    for (const job of [...this.#jobs].sort((a, b) => a.stage_idx - b.stage_idx || a.id - b.id)) visit(job);
    return ordered;
  }

  verdict(job: ProcessedJob): Verdict {
    const prior = this.#priorOf(job) ?? 'success';
    if (!isComplete(prior)) return 'wait';
    // whoever names what he needs does not go on without it
    if (job.scheduling === 'dag' && prior === 'skipped' && job.when !== 'always') return 'skip';
    return BEGINS_AFTER[job.when].includes(prior) ? 'go' : 'skip';
  }

  /** Every job that need not wait any longer, in order, with what becomes of it. */
  decide(): { id: number; verdict: 'skip' | 'go' }[] {
    return this.undecided().flatMap((job) => {
      const verdict = this.verdict(job);
      if (verdict === 'wait') return [];
      job.status = verdict === 'skip' ? 'skipped' : begunAs(job);
      return { id: job.id, verdict };
    });
  }

  #neededBy({ id }: ProcessedJob): ProcessedJob[] {
    return (this.#needs.get(id) ?? []).flatMap((name) => this.#byName.get(name) ?? []);
  }

  #priorOf(job: ProcessedJob): JobStatus | null {
    if (job.scheduling === 'dag') return needsSummaryOf(this.#neededBy(job).map(summarised));
    const { stage_idx: stage } = job;
    // stages are walked in order: by now nothing changes in the earlier ones
    const known = this.#before.get(stage);
    if (known !== undefined) return known;
    const prior = summaryOf(this.#jobs.filter((other) => other.stage_idx < stage).map(summarised));
    this.#before.set(stage, prior);
    return prior;
  }
}

/** As what a job begins. One that has to wait for a resource first is as far from its end as one that has not. */
function begunAs({ when }: ProcessedJob): JobStatus {
  if (when === 'manual') return 'manual';
  return when === 'delayed' ? 'scheduled' : 'pending';
}

const summarised = ({ status, allow_failure }: ProcessedJob): Summarised => ({
  status,
  allowFailure: allow_failure === 1,
});
