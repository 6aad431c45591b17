import type { Breath } from '../breath.ts';
import type { JobConfig } from '../config.ts';
import { JobNames } from '../copies.ts';
import type { Problems } from './at.ts';

/** Of names in the error. */
const MAX_SHOWN = 20;
const MAX_WAY = 1_000;

/** Jobs that wait for each other would wait forever. */
export async function checkCycles(
  jobs: readonly JobConfig[],
  problems: Problems,
  breath: Breath,
): Promise<void> {
  const itself = jobs.find((job) => needed(job).includes(job.name));
  if (itself) return tell(problems, `self-dependency: ${itself.name}`);
  const waiting = await whatCannotBeSorted(jobs, breath);
  if (waiting.length === 0) return;
  const circle = circleOf(waiting).slice(0, MAX_SHOWN);
  tell(problems, `topological sort failed: [${circle.map((name) => JSON.stringify(name)).join(', ')}]`);
}

const tell = (problems: Problems, what: string): void =>
  problems.add(`The pipeline has circular dependencies: ${what}`);

/** Each waits for the next and the last for the first. All of these wait for one of them, so going on must come to a circle. */
function circleOf(waiting: readonly JobConfig[]): string[] {
  const all = new JobNames(waiting);
  const way: JobConfig[] = [];
  let at = waiting[0];
  while (at && !way.includes(at) && way.length < MAX_WAY) {
    way.push(at);
    at = needed(at)
      .map((name) => all.find(name))
      .find((job) => job !== undefined);
  }
  const begin = at ? Math.max(way.indexOf(at), 0) : 0;
  return way.slice(begin).map(({ name }) => name);
}

/** Those that rules may bring are taken as well: whether a pipeline can end must not depend on which rule holds. */
const needed = (job: JobConfig): string[] =>
  [...(job.needs ?? []), ...(job.rules ?? []).flatMap(({ needs }) => needs ?? [])].map(
    ({ job: name }) => name,
  );

/** Takes away jobs that wait for nothing until none is left, or those that wait in a circle and what waits for them. */
async function whatCannotBeSorted(jobs: readonly JobConfig[], breath: Breath): Promise<JobConfig[]> {
  const all = new JobNames(jobs);
  const waitsFor = new Map<string, number>();
  const waiters = new Map<string, string[]>();
  for (const job of jobs) {
    const names = new Set(needed(job).flatMap((name) => all.find(name)?.name ?? []));
    waitsFor.set(job.name, names.size);
    for (const name of names) {
      const known = waiters.get(name);
      if (known) known.push(job.name);
      else waiters.set(name, [job.name]);
    }
    await breath.take();
  }
  const free = jobs.map(({ name }) => name).filter((name) => waitsFor.get(name) === 0);
  for (const name of free) {
    for (const waiter of waiters.get(name) ?? []) {
      const left = (waitsFor.get(waiter) ?? 0) - 1;
      waitsFor.set(waiter, left);
      if (left === 0) free.push(waiter);
    }
    waitsFor.delete(name);
  }
  return jobs.filter(({ name }) => waitsFor.has(name));
}
