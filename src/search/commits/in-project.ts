import type { InProject } from '../../core/guards.ts';
import { listCommits } from '../../git/log.ts';
import { type Commit, readCommit } from '../../git/objects.ts';
import { GitTimeout } from '../../git/process.ts';
import { type Repository, RepositoryNotFound } from '../../git/repository.ts';
import { resolveRevision } from '../../git/revision.ts';
import { ApiError } from '../../platform/errors.ts';
import { demandNumbers } from '../page.ts';
import type { Search, SearchResult } from '../scope.ts';
import type { FindPipelines } from './ports.ts';
import { presentFound } from './present.ts';

/** GitLab looks so far beyond the pages before. */
const BEYOND = 100;
/** Nobody turns pages further, and every page reads all before it. */
const MAX_FOUND = 10_000;

/**
 * In one project git itself looks: through the messages of everything behind the ref, for a basic regular expression. A commit
 * that the text is the id of is found wherever it is in the repository.
 */
export async function searchInProject(
  search: Search,
  found: InProject,
  findPipelines: FindPipelines,
): Promise<SearchResult> {
  const { core, window, baseUrl } = search;
  const page = demandNumbers(window);
  const repo = core.repositoryOf(found.project);
  const commits = await findCommits(search, repo, Math.min(page.offset + BEYOND, MAX_FOUND));
  const shown = commits.slice(page.offset, page.offset + page.perPage);
  const items = await presentFound(findPipelines, shown, { ...found, baseUrl });
  return { items, facts: { total: commits.length } };
}

async function findCommits(search: Search, repo: Repository, limit: number): Promise<Commit[]> {
  try {
    const byMessage = await matchingMessages(search, repo, limit);
    const byId = await commitOfId(search, repo);
    const isNew = byId !== null && !byMessage.some(({ id }) => id === byId.id);
    return isNew ? [...byMessage, byId] : byMessage;
  } catch (error) {
    if (error instanceof RepositoryNotFound) return [];
    if (error instanceof GitTimeout) throw new ApiError('search_timeout', {}, { cause: error });
    throw error;
  }
}

async function matchingMessages(search: Search, repo: Repository, limit: number): Promise<Commit[]> {
  const { text, params, place, signal } = search;
  const branch = place.level === 'project' ? place.project.default_branch : null;
  const ref = params.ref || branch;
  if (text === '' || ref === null || isHostile(text)) return [];
  const from = await resolveRevision(repo, ref, signal);
  return from === null ? [] : listCommits(repo, { from, limit, grep: text, signal });
}

/**
 * What takes a matcher exponential time or memory: back references, and repetitions of repetitions (`\(a\{99\}\)\{99\}`). A
 * message holds neither as text, so nothing is missed.
 */
const isHostile = (pattern: string): boolean =>
  /\\[1-9]/.test(pattern) || pattern.split('\\{').length > 2 || /\\\{\d*,?\d{4,}/.test(pattern);

async function commitOfId({ text, signal }: Search, repo: Repository): Promise<Commit | null> {
  if (!/^[0-9a-f]{7,40}$/i.test(text)) return null;
  const oid = await resolveRevision(repo, text.toLowerCase(), signal);
  // A branch may be called like an id.
  return oid?.startsWith(text.toLowerCase()) ? readCommit(repo, oid, signal) : null;
}
