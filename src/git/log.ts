import { type Commit, isOid, readCommits } from './objects.ts';
import { parseDate } from './parse.ts';
import { UNLISTED } from './ref-name.ts';
import { nextSegment, type Segment } from './rename-history.ts';
import type { Repository } from './repository.ts';
import { walkCommits } from './walk.ts';

export interface ListCommits {
  /** A commit id, or a range `<oid>..<oid>` (resolveRange). Not needed with `all`. */
  from?: string;
  /** Commits reachable from any ref that clients know of. */
  all?: boolean;
  skip?: number;
  limit: number;
  /** Milliseconds since the epoch or ISO 8601; committer date, inclusive. */
  since?: number | string | undefined;
  until?: number | string | undefined;
  path?: string | undefined;
  /** Follow renames of `path`. */
  follow?: boolean;
  /** As `git log --author`: a basic regular expression on `Name <email>`, case matters. */
  author?: string | undefined;
  /** As `git log -i --grep`: a basic regular expression that a line of the message matches in any case. */
  grep?: string | undefined;
  firstParent?: boolean;
  order?: 'default' | 'topo';
  signal?: AbortSignal | undefined;
}

const FROM = /^[0-9a-f]{40}(?:\.{2,3}[0-9a-f]{40})?$/;

/**
 * A page of history, newest first, in git's own order. One git process at most, none for a plain page near the tip or one that was asked
 * before. With `path` git's changed-path filters do the work; `follow` costs more only where the path was renamed.
 */
export async function listCommits(repo: Repository, options: ListCommits): Promise<Commit[]> {
  const asked = normalise(options);
  if (!asked || options.limit <= 0) return [];
  if (asked.all) return listPlain(repo, asked); // refs move, so nothing names the answer
  const key = keyOf(asked);
  const known = repo.git.caches.history.get(repo, key);
  if (known) {
    const commits = await readCommits(repo, known, options.signal);
    if (!commits.includes(null)) return commits as Commit[];
  }
  const commits = await compute(repo, asked);
  repo.git.caches.history.set(
    repo,
    key,
    commits.map(({ id }) => id),
  );
  return commits;
}

// Read one by one, more commits than this take longer than a process does.
const MAX_WALK = 50;

async function compute(repo: Repository, asked: Asked): Promise<Commit[]> {
  if (followsRenames(asked)) return listFollowing(repo, asked);
  const count = asked.skip + asked.limit;
  const plain = filters(asked).every((flag) => flag === '--first-parent') && asked.path === undefined;
  if (plain && isOid(asked.from) && count <= MAX_WALK) {
    const walked = await walkCommits(repo, asked.from, { ...asked, count });
    if (walked) return walked.slice(asked.skip);
  }
  return listPlain(repo, asked);
}

interface Asked extends ListCommits {
  from: string;
  skip: number;
}

/** Null when the answer is empty whatever the repository holds. */
function normalise(options: ListCommits): Asked | null {
  const { from = '', all = false, skip = 0, author, grep } = options;
  if (!all && !FROM.test(from)) return null;
  if (author?.includes('\0') || grep?.includes('\0')) return null;
  const path = options.path === undefined ? undefined : normalPath(options.path);
  if (path === null) return null;
  return { ...options, from, skip, path: path || undefined };
}

/** A path as git takes it; null when it lies outside any repository. */
export function normalPath(path: string): string | null {
  if (path.includes('\0')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? null : parts.join('/');
}

function keyOf({ signal: _, ...rest }: Asked): string {
  return JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Fields that cannot hold a NUL; %B is the message as stored, converted to UTF-8 where the commit names an encoding.
const FIELDS = ['%H', '%T', '%P', '%an', '%ae', '%ad', '%cn', '%ce', '%cd', '%B'];

async function listPlain(repo: Repository, asked: Asked): Promise<Commit[]> {
  const args = ['log', '-z', '--no-color', '--date=raw', `--format=${FIELDS.join('%x00')}`];
  args.push(`--skip=${asked.skip}`, `--max-count=${asked.limit}`, ...filters(asked));
  const result = await repo.tryRun([...args, ...range(asked)], { signal: asked.signal });
  if (result.code !== 0) {
    // an unfinished bracket in --author or --grep: nobody is called that, nothing says that
    if ((asked.author || asked.grep) && /^fatal: (?:command line|header), /m.test(result.stderr)) return [];
    throw new Error(`git log: ${result.stderr.trim().slice(0, 500)}`);
  }
  const commits = parseLog(result.stdout);
  for (const commit of commits) repo.git.caches.commits.set(repo, commit.id, commit);
  return commits;
}

function followsRenames({ all, follow, path, from }: Asked): boolean {
  return Boolean(follow) && !all && path !== undefined && !from.includes('...');
}

function filters(asked: Asked): string[] {
  const { author, grep, since, until, firstParent, order } = asked;
  const args: string[] = [];
  // `git log --follow` shows no merges
  if (followsRenames(asked)) args.push('--no-merges');
  if (author) args.push(`--author=${author}`);
  if (grep) args.push('--regexp-ignore-case', '--basic-regexp', `--grep=${grep}`);
  if (since !== undefined) args.push(`--max-age=${Math.ceil(seconds(since))}`);
  if (until !== undefined) args.push(`--min-age=${Math.floor(seconds(until))}`);
  if (firstParent) args.push('--first-parent');
  if (order === 'topo') args.push('--topo-order');
  return args;
}

function range({ all, from, path }: Asked): string[] {
  const start = all ? [...UNLISTED.map((folder) => `--exclude=${folder}*`), '--all'] : [from];
  return [...start, '--', ...(path === undefined ? [] : [path])];
}

function seconds(time: number | string): number {
  const ms = typeof time === 'number' ? time : Date.parse(time);
  if (Number.isNaN(ms)) throw new Error(`not a date: ${JSON.stringify(time)}`);
  return Math.min(Math.max(0, ms / 1000), 253_402_300_799);
}

function parseLog(output: Buffer): Commit[] {
  const parts = output.toString('utf8').split('\0');
  const commits: Commit[] = [];
  for (let at = 0; at + FIELDS.length <= parts.length; at += FIELDS.length) {
    const [id, tree, parents, an, ae, ad, cn, ce, cd, message] = parts.slice(at, at + FIELDS.length);
    commits.push({
      id: id!,
      tree: tree!,
      parents: parents ? parents.split(' ') : [],
      author: { name: an!, email: ae!, ...parseDate(ad!) },
      committer: { name: cn!, email: ce!, ...parseDate(cd!) },
      message: message!,
    });
  }
  return commits;
}

// A path renamed more often than this is a script's work.
const MAX_RENAMES = 50;

/**
 * `git log --follow` compares the trees of every commit; this walks each name of the file with the changed-path filters on,
 * newest name first. A commit whose change also came in by another line of work may be left out, as in `git log -- path`.
 */
async function listFollowing(repo: Repository, asked: Asked): Promise<Commit[]> {
  const commits: Commit[] = [];
  let segment: Segment | null = { from: asked.from, path: asked.path! };
  let { skip } = asked;
  for (let renames = 0; segment && renames <= MAX_RENAMES; renames++) {
    const here: Asked = { ...asked, ...segment, skip, limit: asked.limit - commits.length };
    const page: Commit[] = await listPlain(repo, here);
    commits.push(...page);
    if (commits.length >= asked.limit) break;
    if (page.length > 0 || skip === 0) skip = 0;
    else skip -= (await listIds(repo, { ...asked, ...segment })).length;
    segment = await following(repo, here, page);
  }
  return commits;
}

async function following(repo: Repository, here: Asked, page: Commit[]): Promise<Segment | null> {
  const filtered = here.author || here.since !== undefined || here.until !== undefined;
  const unfiltered = { ...here, author: undefined, since: undefined, until: undefined };
  const created = filtered || page.length === 0 ? (await listIds(repo, unfiltered)).at(-1) : page.at(-1)!.id;
  return created ? nextSegment(repo, { from: here.from, path: here.path! }, created, here.signal) : null;
}

/** Ids only, to the end of the walk. */
async function listIds(repo: Repository, asked: Asked): Promise<string[]> {
  const key = `ids ${asked.from} ${filters(asked).join(' ')} ${asked.path}`;
  const known = repo.git.caches.history.get(repo, key);
  if (known) return known;
  const args = ['log', '--format=%H', ...filters(asked), ...range(asked)];
  const ids = (await repo.run(args, { signal: asked.signal })).toString('latin1').split('\n').slice(0, -1);
  repo.git.caches.history.set(repo, key, ids);
  return ids;
}

/** The newest commit reachable from `rev` (an id) that changed `path`, as a blob's page or `last_commit_id` asks; null when none did. */
export async function lastCommitFor(
  repo: Repository,
  rev: string,
  path: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const [commit] = await listCommits(repo, { from: rev, path, limit: 1, signal });
  return commit?.id ?? null;
}
