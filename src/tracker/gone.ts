import { ForeignKeyViolation } from '../platform/db/errors.ts';
import { fail } from '../platform/errors.ts';

/** What a write refers to may be deleted after it was looked up: then the answer is 404, as if it had been before. */
export async function notFoundWhenGone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ForeignKeyViolation) throw fail.recordNotFound();
    throw error;
  }
}
