import { tagsOf } from '../fields.ts';
import type { RunnerRow } from '../tables.ts';

/** A runner takes a job that has no tag it has not; one without any only where it is meant to. */
export function takesTags(runner: Pick<RunnerRow, 'tags' | 'run_untagged'>, tags: string): boolean {
  if (tags === '[]') return runner.run_untagged === 1;
  const own = tagsOf(runner);
  return tagsOf({ tags }).every((tag) => own.includes(tag));
}
