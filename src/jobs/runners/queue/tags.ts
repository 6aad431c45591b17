import { tagsOf } from '../fields.ts';
import type { RunnerRow } from '../tables.ts';

/** A runner takes a job that has no tag it has not; one without any only where it is meant to. */
export function takesTags(runner: Pick<RunnerRow, 'tags' | 'run_untagged'>, tags: string): boolean {
  if (tags === '[]') return runner.run_untagged === 1;
  const own = tagsOf(runner);
  return tagsOf({ tags }).every((tag) => own.includes(tag));
}

/** No database takes a list of thousands in one question; what is left out has its turn when these are gone. */
const MAX_SETS = 500;

/** Those of the sets of tags that the runner takes. */
export const tagSetsFor = (
  runner: Pick<RunnerRow, 'tags' | 'run_untagged'>,
  sets: readonly string[],
): string[] => sets.filter((tags) => takesTags(runner, tags)).slice(0, MAX_SETS);
