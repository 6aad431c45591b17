import { isOid, readCommit, readCommitAt } from './objects.ts';
import { isValidRefName } from './ref-name.ts';
import { resolveRef } from './refs.ts';
import type { Repository } from './repository.ts';

// What GitLab takes for no revision at all, and never shows to git.
const REFUSED = /^-|[:\s\0\\]/;

const STEPS = /^(.+?)((?:[~^]\d{0,7})*)$/s;

/**
 * The commit that a name means: full or short id (4 digits at least, unique), tag before branch, `HEAD`, each with `~2` or
 * `^` behind it. Annotated tags are followed. Null when there is none.
 */
export async function resolveRevision(
  repo: Repository,
  name: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const match = REFUSED.test(name) ? null : STEPS.exec(name);
  if (!match) return null;
  const [, base, steps] = match as unknown as [string, string, string];
  const start = await resolveBase(repo, base);
  if (start === null) return null;
  if (steps === '' && isOid(start)) {
    const commit = await readCommit(repo, start, signal);
    if (commit) return commit.id;
  }
  return (await readCommitAt(repo, `${start}${steps}^{commit}`, signal))?.id ?? null;
}

/** The object a name without steps means: an id, or a short one left for git to complete. */
async function resolveBase(repo: Repository, base: string): Promise<string | null> {
  const lower = base.toLowerCase();
  if (isOid(lower)) return lower;
  if (base === 'HEAD' || base === '@') return resolveRef(repo, 'HEAD');
  const candidates = base.startsWith('refs/') ? [base] : [`refs/tags/${base}`, `refs/heads/${base}`];
  if (/^(?:heads|tags)\//.test(base)) candidates.unshift(`refs/${base}`);
  for (const ref of candidates.filter(isValidRefName)) {
    const oid = await resolveRef(repo, ref);
    if (oid) return oid;
  }
  return /^[0-9a-f]{4,39}$/.test(lower) ? lower : null;
}

/** The same, and `a..b` and `a...b` as `<id>..<id>`, for listCommits and countCommits. A missing side is HEAD, as in git. */
export async function resolveRange(
  repo: Repository,
  name: string,
  signal?: AbortSignal,
): Promise<string | null> {
  // no ref name has two dots in it
  const match = /^(.*?)(\.{2,3})(.*)$/s.exec(name);
  if (!match) return resolveRevision(repo, name, signal);
  const [, left, dots, right] = match;
  const from = await resolveRevision(repo, left || 'HEAD', signal);
  const to = await resolveRevision(repo, right || 'HEAD', signal);
  return from && to ? `${from}${dots}${to}` : null;
}
