import type { ChosenJob } from './outcome.ts';

/** In letters. A default of 100 kB that ten thousand jobs take would be a gigabyte in the database. */
const MAX_WEIGHT = 64 * 1024 * 1024;
/** Quotes, commas and the names of members around each value. */
const AROUND = 16;

/** Adds up what will be written for the jobs of a pipeline, before it is. What several jobs share is measured once. */
export class Weight {
  readonly #known = new Map<object, number>();
  #total = 0;

  /** Whether it is still what a pipeline may come to. */
  add({ job, plan }: ChosenJob): boolean {
    this.#total += this.#of(job.definition) + this.#of(plan.environment) + this.#of(plan.resourceGroup);
    // put together for each job, so there is nothing to keep
    this.#total += plan.variables.reduce((sum, variable) => sum + this.#of(variable), 0);
    return this.#total <= MAX_WEIGHT;
  }

  #of(value: unknown): number {
    if (typeof value === 'string') return value.length + AROUND;
    if (typeof value !== 'object' || value === null) return AROUND;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const weight = Object.values(value).reduce<number>((sum, each) => sum + this.#of(each), AROUND);
    this.#known.set(value, weight);
    return weight;
  }
}
