import { GitFailed } from './process.ts';
import { isValidRefName } from './ref-name.ts';
import type { Repository } from './repository.ts';
import { breakAbandonedLocks } from './stale-files.ts';

export interface RefUpdate {
  /** Full name. */
  ref: string;
  /** Expected value: null = must not exist, absent = not checked. */
  old?: string | null;
  /** null deletes. */
  new: string | null;
}

class RefError extends Error {
  readonly ref: string | null;
  constructor(message: string, ref: string | null, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.ref = ref;
  }
}

/** The ref does not have the expected value, or another writer holds it. */
export class RefConflict extends RefError {}

/** `a` and `a/b` cannot both exist. */
export class RefNameClash extends RefError {}

/** A name git does not allow, or a value that is no object of the right kind. */
export class InvalidRef extends RefError {}

const NO_OBJECT = '0'.repeat(40);
const MAX_UPDATES = 10_000;

// Git's default of 100 ms makes ordinary rivals for packed-refs fail rather than wait.
const LOCK_WAIT = { 'core.filesRefLockTimeout': '2000', 'core.packedRefsTimeout': '5000' };

/** All or none, each only from its expected value. Throws RefConflict, RefNameClash, InvalidRef. */
export async function updateRefs(
  repo: Repository,
  updates: RefUpdate[],
  signal?: AbortSignal,
): Promise<void> {
  if (updates.length === 0) return;
  if (updates.length > MAX_UPDATES) throw new InvalidRef('too many refs at once', null);
  const input = updates.map(commandOf).join('');
  const move = () => repo.run(['update-ref', '--stdin'], { input, signal, config: LOCK_WAIT });
  try {
    await move().catch(async (error: unknown) => {
      if (!(await isFreed(repo, error))) throw error;
      await move();
    });
  } catch (error) {
    throw error instanceof GitFailed ? explain(error) : error;
  }
}

/** Whether a lock that a killed process left was all that stood in the way, and is gone now. */
async function isFreed(repo: Repository, error: unknown): Promise<boolean> {
  if (!(error instanceof GitFailed) || !LOCKED.test(error.stderr)) return false;
  const removed = await breakAbandonedLocks(repo.path);
  if (removed.length === 0) return false;
  repo.git.log.warn({ repository: repo.relativePath, locks: removed.slice(0, 20) }, 'broke abandoned locks');
  return true;
}

function commandOf({ ref, old, new: value }: RefUpdate): string {
  if (!isValidRefName(ref)) throw new InvalidRef(`not a ref name: ${JSON.stringify(ref)}`, ref);
  for (const oid of [old, value])
    if (oid && !/^[0-9a-f]{40}$/.test(oid)) throw new InvalidRef(`not an object id for ${ref}`, ref);
  // A name of a ref has no space in it, and begins with no quote.
  const expected = old === undefined ? '' : ` ${old ?? NO_OBJECT}`;
  if (value !== null) return `update ${ref} ${value}${expected}\n`;
  if (old === null) return `verify ${ref} ${NO_OBJECT}\n`;
  return `delete ${ref}${expected}\n`;
}

const CLASH =
  /exists; cannot create|cannot process .* and .* at the same time|there are still refs under|non-empty directory/;
const LOCKED = /Unable to create '[^\n]*\.lock'|unable to create file [^\n]*packed-refs\.new/;
const CONFLICT = /but expected|reference already exists|reference is missing|unable to resolve reference/;

function explain(error: GitFailed): Error {
  const ref = /(?:lock|update) ref '([^']+)'/.exec(error.stderr)?.[1] ?? null;
  if (CLASH.test(error.stderr)) return new RefNameClash(error.message, ref, error);
  if (CONFLICT.test(error.stderr) || LOCKED.test(error.stderr))
    return new RefConflict(error.message, ref, error);
  if (
    /non-commit object|nonexistent object|invalid ref format|bad object|not a valid SHA1/i.test(error.stderr)
  )
    return new InvalidRef(error.message, ref, error);
  return error;
}
