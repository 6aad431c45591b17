import type { MatrixRow, Need } from '../config.ts';
import { combinationsOf, copyName } from '../copies.ts';
import type { JobPlan } from '../plan.ts';
import type { ChosenJob } from './outcome.ts';

/** GitLab's default of `ci_needs_size_limit`. */
const MAX_NEEDS = 50;
/** Nobody reads more. */
const MAX_ERRORS = 100;

/** Turns names of the file into those of the jobs that are in the pipeline, telling what is missing. */
export class Linking {
  /** Full names of what is in the pipeline, by themselves and by the names in the file. */
  readonly #present = new Map<string, string[]>();
  /** In GitLab's words. */
  readonly errors: string[] = [];

  constructor(chosen: readonly ChosenJob[]) {
    for (const { plan } of chosen) this.#present.set(plan.name, [plan.name]);
    for (const { job, plan } of chosen) {
      if (job.name === plan.name) continue;
      const copies = this.#present.get(job.name);
      if (copies) copies.push(plan.name);
      else this.#present.set(job.name, [plan.name]);
    }
  }

  /** Null for a job that waits for its stage. */
  needsOf({ plan: { name }, needs }: ChosenJob): JobPlan['needs'] | null {
    if (needs === null) return null;
    const found = new Map<string, boolean>();
    for (const need of needs) {
      for (const other of this.#neededBy(name, need))
        found.set(other, need.artifacts || found.get(other) === true);
      if (found.size > MAX_NEEDS || this.errors.length > MAX_ERRORS) break;
    }
    if (found.size > MAX_NEEDS) this.errors.push(tooMany(name, found.size));
    return [...found].map(([other, artifacts]) => ({ name: other, artifacts }));
  }

  #neededBy(name: string, { job, matrix, optional }: Need): string[] {
    if (matrix) return this.#copiesNeededBy(name, { job, matrix, optional });
    const there = this.#present.get(job) ?? [];
    if (there.length === 0 && !optional) this.errors.push(missing(name, job));
    return there;
  }

  #copiesNeededBy(
    name: string,
    { job, matrix, optional }: { job: string; matrix: MatrixRow[]; optional: boolean },
  ): string[] {
    const wanted = matrix.flatMap((row) => combinationsOf(row).map((copy) => copyName(job, copy)));
    const absent = wanted.find((each) => !this.#present.has(each));
    if (absent !== undefined && !optional) this.errors.push(missing(name, absent));
    return wanted.filter((each) => this.#present.has(each));
  }

  /** Names of jobs whose artifacts are fetched; what is not in the pipeline has none. */
  dependenciesOf({ job }: ChosenJob): string[] | null {
    return job.definition.dependencies?.flatMap((name) => this.#present.get(name) ?? []) ?? null;
  }
}

const missing = (name: string, needed: string): string =>
  `'${name}' job needs '${needed}' job, but '${needed}' does not exist in the pipeline. This might be because of the ` +
  'only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.';

const tooMany = (name: string, count: number): string =>
  `${name}: one job can only need ${MAX_NEEDS} others, but you have listed ${count}. ` +
  'See needs keyword documentation for more details';
