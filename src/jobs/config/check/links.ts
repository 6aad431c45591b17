import type { Breath } from '../breath.ts';
import type { CiConfig, JobConfig, Need } from '../config.ts';
import { JobNames } from '../copies.ts';
import type { Problems } from './at.ts';
import { checkCycles } from './cycles.ts';

/** What jobs say of stages and of each other. */
export async function checkLinks(config: CiConfig, problems: Problems, breath: Breath): Promise<void> {
  const links = new Links(config, problems);
  for (const job of config.jobs) {
    links.check(job);
    await breath.take();
  }
  if (problems.isEmpty) await checkCycles(config.jobs, problems, breath);
}

class Links {
  readonly #stages: string[];
  readonly #stageIndex: Map<string, number>;
  readonly #jobs: JobNames<JobConfig>;
  readonly #problems: Problems;

  constructor({ stages, jobs }: CiConfig, problems: Problems) {
    this.#stages = stages;
    this.#stageIndex = new Map(stages.map((stage, index) => [stage, index]));
    this.#problems = problems;
    this.#jobs = new JobNames(jobs);
  }

  check(job: JobConfig): void {
    if (!this.#stageIndex.has(job.stage))
      this.#tell(
        job,
        `chosen stage ${job.stage} does not exist; available stages are ${this.#stages.join(', ')}`,
      );
    for (const name of job.definition.dependencies ?? []) this.#checkLink(job, 'dependency', name);
    this.#checkNeeds(job, job.needs ?? []);
    for (const rule of job.rules ?? []) this.#checkNeeds(job, rule.needs ?? []);
    this.#checkOnStop(job);
  }

  #tell(job: JobConfig, message: string): void {
    this.#problems.add(`${job.name} job: ${message}`);
  }

  #checkNeeds(job: JobConfig, needs: readonly Need[]): void {
    for (const { job: name, optional } of needs)
      if (!optional || this.#jobs.find(name)) this.#checkLink(job, 'need', name);
    const plain = needs.filter(({ matrix }) => matrix === null).map(({ job: name }) => name);
    const seen = new Set<string>();
    const twice = new Set(plain.filter((name) => seen.has(name) || !seen.add(name)));
    if (twice.size > 0)
      this.#problems.add(`${job.name} has the following needs duplicated: ${[...twice].join(', ')}.`);
  }

  #checkLink(job: JobConfig, kind: 'dependency' | 'need', name: string): void {
    const other = this.#jobs.find(name);
    const own = this.#stageIndex.get(job.stage) ?? -1;
    const its = other && this.#stageIndex.get(other.stage);
    if (!other) this.#tell(job, `undefined ${kind}: ${name}`);
    else if (its === undefined || its > own)
      this.#tell(job, `${kind} ${name} is not defined in current or prior stages`);
  }

  #checkOnStop(job: JobConfig): void {
    const { environment } = job;
    if (!environment?.onStop) return;
    const name = environment.onStop;
    const stop = this.#jobs.find(name);
    if (!stop) this.#tell(job, `on_stop job ${name} is not defined`);
    else if (!stop.environment) this.#tell(job, `on_stop job ${name} does not have environment defined`);
    else if (stop.environment.name !== environment.name)
      this.#tell(job, `on_stop job ${name} have different environment name`);
    else if (stop.environment.action !== 'stop')
      this.#tell(job, `on_stop job ${name} needs to have action stop defined`);
  }
}
