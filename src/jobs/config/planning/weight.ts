import type { JobConfig } from '../config.ts';
import type { ConfigVariable } from '../plan.ts';
import type { ChosenJob } from './outcome.ts';

/** In letters. A default of 100 kB that ten thousand jobs take would be a gigabyte in the database. */
const MAX_WEIGHT = 64 * 1024 * 1024;

/** Adds up what will be written for the jobs of a pipeline, before it is. */
export class Weight {
  readonly #scripts = new Map<JobConfig, number>();
  #total = 0;

  /** Whether it is still what a pipeline may come to. */
  add({ job, plan }: ChosenJob): boolean {
    this.#total += this.#scriptOf(job) + variablesWeight(plan.variables);
    return this.#total <= MAX_WEIGHT;
  }

  #scriptOf(job: JobConfig): number {
    const known = this.#scripts.get(job);
    if (known !== undefined) return known;
    const { script, afterScript, hooks } = job.definition;
    const weight = [...script, ...afterScript, ...hooks.preGetSources].reduce(
      (sum, line) => sum + line.length,
      0,
    );
    this.#scripts.set(job, weight);
    return weight;
  }
}

/** Quotes, commas and names of members around each. */
const AROUND = 32;

const variablesWeight = (variables: readonly ConfigVariable[]): number =>
  variables.reduce((sum, { key, value }) => sum + key.length + value.length + AROUND, 0);
