import type { JobConfig, Need } from '../config.ts';
import { combinationsOf, copyName, namesOf } from '../copies.ts';
import type { JobPlan } from '../plan.ts';
import type { ChosenJob } from './outcome.ts';

/** GitLab's default of `ci_needs_size_limit`. */
const MAX_NEEDS = 50;

/** Turns names of the file into those of the jobs that are in the pipeline, telling what is missing. */
export class Linking {
  readonly #names: Map<string, string[]>;
  readonly #present: Set<string>;
  /** In GitLab's words. */
  readonly errors: string[] = [];

  constructor(jobs: readonly JobConfig[], chosen: readonly ChosenJob[]) {
    this.#names = namesOf(jobs);
    this.#present = new Set(chosen.map(({ plan }) => plan.name));
  }

  /** Null for a job that waits for its stage. */
  needsOf({ plan: { name }, needs }: ChosenJob): JobPlan['needs'] | null {
    if (needs === null) return null;
    const found = new Map<string, boolean>();
    for (const need of needs)
      for (const other of this.#neededBy(name, need))
        found.set(other, need.artifacts || found.get(other) === true);
    if (found.size > MAX_NEEDS) this.errors.push(tooMany(name, found.size));
    return [...found].map(([other, artifacts]) => ({ name: other, artifacts }));
  }

  #neededBy(name: string, need: Need): string[] {
    const wanted = this.#fullNames(need);
    const there = wanted.filter((each) => this.#present.has(each));
    if (!need.optional && (there.length === 0 || (need.matrix && there.length < wanted.length)))
      this.errors.push(missing(name, wanted.find((each) => !this.#present.has(each)) ?? need.job));
    return there;
  }

  #fullNames({ job, matrix }: Need): string[] {
    if (matrix) return matrix.flatMap((row) => combinationsOf(row).map((copy) => copyName(job, copy)));
    return this.#names.get(job) ?? [job];
  }

  /** Names of jobs whose artifacts are fetched; what is not in the pipeline has none. */
  dependenciesOf({ job }: ChosenJob): string[] | null {
    const { dependencies } = job.definition;
    const all = dependencies?.flatMap((name) => this.#names.get(name) ?? []);
    return all?.filter((name) => this.#present.has(name)) ?? null;
  }
}

const missing = (name: string, needed: string): string =>
  `'${name}' job needs '${needed}' job, but '${needed}' does not exist in the pipeline. This might be because of the ` +
  'only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.';

const tooMany = (name: string, count: number): string =>
  `${name}: one job can only need ${MAX_NEEDS} others, but you have listed ${count}. ` +
  'See needs keyword documentation for more details';
