import type { JobConfig, MatrixRow } from './config.ts';
import type { ConfigVariable, JobDefinition } from './plan.ts';

/** One job that comes of a job of the file. */
export interface Copy {
  name: string;
  /** Of a matrix. */
  variables: ConfigVariable[];
  node: JobDefinition['node'];
}

/** What `parallel` makes of a job: `test 1/3`, `test: [linux, 20]`; else the job itself. */
export function copiesOf({ name, parallel }: Pick<JobConfig, 'name' | 'parallel'>): Copy[] {
  if (parallel === null) return [{ name, variables: [], node: null }];
  if (typeof parallel === 'number') return numbered(name, parallel);
  const all = parallel.flatMap(combinationsOf);
  return all.map((variables, at) => ({
    name: copyName(name, variables),
    variables,
    node: { index: at + 1, total: all.length },
  }));
}

const numbered = (name: string, total: number): Copy[] =>
  Array.from({ length: total }, (_, at) => ({
    name: `${name} ${at + 1}/${total}`,
    variables: [],
    node: { index: at + 1, total },
  }));

/** Every combination of the values of a row, the last key changing first. */
export function combinationsOf(row: MatrixRow): ConfigVariable[][] {
  const total = row.reduce((product, [, values]) => product * values.length, 1);
  return Array.from({ length: total }, (_, at) => combination(row, at));
}

/** As the digits of a number, each key a place with as many digits as it has values. */
function combination(row: MatrixRow, at: number): ConfigVariable[] {
  let left = at;
  const chosen = row.toReversed().map(([key, values]) => {
    const value = values[left % values.length]!;
    left = Math.floor(left / values.length);
    return { key, value, raw: false };
  });
  return chosen.reverse();
}

export const copyName = (name: string, variables: readonly ConfigVariable[]): string =>
  `${name}: [${variables.map(({ value }) => value).join(', ')}]`;

type Named = Pick<JobConfig, 'name' | 'parallel'>;

/** All names of copies of a pipeline at once would fill the memory. */
const MAX_KNOWN = 50;

/** Finds jobs by the name in the file or that of a copy: `needs` may say either. */
export class JobNames<Job extends Named> {
  readonly #jobs: Map<string, Job>;
  readonly #copies = new Map<Job, ReadonlySet<string>>();

  constructor(jobs: Iterable<Job>) {
    this.#jobs = new Map([...jobs].map((job) => [job.name, job]));
  }

  find(name: string): Job | undefined {
    return this.#jobs.get(name) ?? this.#ofCopy(name);
  }

  #ofCopy(name: string): Job | undefined {
    for (const { index } of name.matchAll(/ \d+\/\d+$|: \[/g)) {
      const job = this.#jobs.get(name.slice(0, index));
      if (job && this.#copiesOf(job).has(name)) return job;
    }
    return undefined;
  }

  #copiesOf(job: Job): ReadonlySet<string> {
    const known = this.#copies.get(job);
    if (known) return known;
    if (this.#copies.size >= MAX_KNOWN) this.#copies.clear();
    const names = new Set(copiesOf(job).map(({ name }) => name));
    this.#copies.set(job, names);
    return names;
  }
}
