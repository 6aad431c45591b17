import type { Core, Room } from '../core/core.ts';
import type { ProjectWithNamespace } from '../core/projects/find.ts';
import {
  type CommitPlace,
  CommitWithStats,
  presentCommitWithStats,
} from '../core/repository/commit-entity.ts';
import { unlessRemoved } from '../core/repository/reading.ts';
import { type ListCommits, listCommits } from '../git/log.ts';
import { refSnapshot, resolveRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { resolveRange } from '../git/revision.ts';
import { commitStats } from '../git/stats.ts';
import { fail } from '../platform/errors.ts';
import { type Page, pageAnswer, pageOf, pageParams } from '../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../platform/http/params.ts';
import { type Static, Type } from '../platform/http/schema.ts';
import { commitPath } from './find.ts';
import { readsPages } from './guards.ts';
import { type PageCache, pageAnswerOf, type WrittenPage, writePage } from './page-cache.ts';

const listParams = params({
  id: commitPath.id,
  ref_name: optional(
    param.string({ description: 'Branch, tag, commit or range `a..b`; the default branch if absent.' }),
  ),
  since: optional(param.dateTime({ description: 'Committed on or after.' })),
  until: optional(param.dateTime({ description: 'Committed on or before.' })),
  path: optional(param.string({ description: 'A file or folder.' })),
  follow: optional(param.boolean({ description: 'Follow renames of `path`; true if absent.' })),
  author: optional(param.string({ description: 'Part of `Name <email>`.' })),
  all: optional(param.boolean({ description: 'Every commit of the repository; `ref_name` is ignored.' })),
  with_stats: optional(param.boolean({ description: 'Adds `stats` to each commit.' })),
  first_parent: optional(param.boolean({ description: 'Only first parents of merges.' })),
  order: withDefault(param.oneOf(['default', 'topo']), 'default'),
  trailers: withDefault(param.boolean({ description: 'Reads the trailers of each message.' }), false),
  ...pageParams,
});

/** `GET /projects/:id/repository/commits` */
export function listRoute(room: Room, core: Core, pages: PageCache): void {
  room.get('/projects/:id/repository/commits', {
    summary: 'List commits, newest first',
    params: listParams,
    responses: { 200: Type.Array(CommitWithStats) },
    guard: readsPages(core),
    async handler(call) {
      const { project } = call.guarded;
      const page = pageOf(call.params);
      const repo = core.repositoryOf(project);
      const start = await unlessRemoved(findStart(repo, project, call.params));
      if (start === null || page.offset > MAX_SKIP) return pageAnswer(call, page, [], { hasNext: false });
      const query = queryOf(call.params, start, page);
      const show = { ...call.params, project, baseUrl: call.baseUrl };
      const key = keyOf(start, query, show);
      const written = await pages.get(repo, key, call, (signal) =>
        readPage(repo, { ...query, signal }, show),
      );
      const facts = { hasNext: written.count === page.perPage };
      return pageAnswerOf(written, call, () => pageAnswer(call, page, written.json, facts));
    },
  });
}

// No history is that long, and git reads the number into 31 bits.
const MAX_SKIP = 2 ** 31 - 1;

interface Show extends CommitPlace {
  with_stats?: boolean | null | undefined;
  trailers: boolean;
}

interface Start {
  /** Names the commits that the walk begins at, for ever. */
  key: string;
  /** What git is given; null for all refs. */
  from: string | null;
}

/** From what a client names to what never changes; null when there is nothing of that name. */
async function findStart(
  repo: Repository,
  project: ProjectWithNamespace,
  { all, ref_name }: Pick<Static<typeof listParams>, 'all' | 'ref_name'>,
): Promise<Start | null> {
  if (all) return { key: `all ${(await refSnapshot(repo)).version}`, from: null };
  if (ref_name && /^-|[\s:\\]/.test(ref_name)) throw fail.refused('ref_name is invalid');
  // A branch is a commit: the file says enough, no object is read.
  const branch = project.default_branch;
  const from = ref_name
    ? await resolveRange(repo, ref_name)
    : branch && (await resolveRef(repo, `refs/heads/${branch}`));
  return from ? { key: from, from } : null;
}

function queryOf(asked: Static<typeof listParams>, start: Start, page: Page): ListCommits {
  const path = asked.path?.trim() ? asked.path : null;
  return {
    ...(start.from === null ? { all: true } : { from: start.from }),
    skip: page.offset,
    limit: page.perPage,
    order: asked.order,
    ...(asked.since != null && { since: asked.since }),
    ...(asked.until != null && { until: asked.until }),
    ...(path && { path, follow: asked.follow ?? true }),
    ...(asked.author && { author: asked.author }),
    ...(asked.first_parent && { firstParent: true }),
  };
}

const keyOf = (start: Start, query: ListCommits, show: Show): string =>
  [
    start.key,
    show.project.full_path,
    show.baseUrl,
    show.with_stats,
    show.trailers,
    query.skip,
    query.limit,
    query.order,
    query.since,
    query.until,
    query.follow,
    query.firstParent,
    // The two that may hold any text, and so come in quotes and last.
    query.author && JSON.stringify(query.author),
    query.path && JSON.stringify(query.path),
  ].join(' ');

async function readPage(repo: Repository, query: ListCommits, show: Show): Promise<WrittenPage> {
  const newestFirst = await listCommits(repo, query);
  // The page holds the newest, but begins with the oldest of them: GitLab's answer to `all`.
  const commits = query.all ? newestFirst.toReversed() : newestFirst;
  const ids = commits.map(({ id }) => id);
  const stats = show.with_stats ? await commitStats(repo, ids, query.signal) : null;
  const items = commits.map((commit) =>
    presentCommitWithStats(commit, show, { trailers: show.trailers, stats: stats?.get(commit.id) }),
  );
  return writePage(items, items.length);
}
