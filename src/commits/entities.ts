import { type Static, Type } from 'typebox';
import type { ProjectWithNamespace } from '../core/projects/find.ts';
import { commitTitle, commitTrailers } from '../git/message.ts';
import type { Commit, Identity } from '../git/objects.ts';
import type { CommitStats } from '../git/stats.ts';
import { timestamp } from '../platform/http/params.ts';

/** Commits as clients see them. All of it follows from the commit's id and the project's address. */

export const CommitStatsEntity = Type.Object(
  { additions: Type.Integer(), deletions: Type.Integer(), total: Type.Integer() },
  { $id: 'CommitStats' },
);

export const commitFields = {
  id: Type.String(),
  short_id: Type.String(),
  created_at: timestamp(),
  parent_ids: Type.Array(Type.String()),
  title: Type.String(),
  message: Type.String(),
  author_name: Type.String(),
  author_email: Type.String(),
  authored_date: timestamp(),
  committer_name: Type.String(),
  committer_email: Type.String(),
  committed_date: timestamp(),
  trailers: Type.Record(Type.String(), Type.String()),
  extended_trailers: Type.Record(Type.String(), Type.Array(Type.String())),
  web_url: Type.String(),
};

export const CommitEntity = Type.Object(
  { ...commitFields, stats: Type.Optional(CommitStatsEntity) },
  { $id: 'Commit' },
);

export type CommitJson = Static<typeof CommitEntity>;

/** Where a project's pages are; part of every commit's `web_url`. */
export const projectUrl = (baseUrl: string, project: Pick<ProjectWithNamespace, 'full_path'>): string =>
  `${baseUrl}/${project.full_path}`;

interface PresentCommit {
  /** From `projectUrl`. */
  projectUrl: string;
  /** Read the message's trailers; they are `{}` otherwise, as GitLab has it on every route but the list. */
  trailers?: boolean;
  stats?: CommitStats | undefined;
}

/** The keys are in GitLab's order. */
export function presentCommit(commit: Commit, { projectUrl, trailers, stats }: PresentCommit): CommitJson {
  const { id, message, author, committer } = commit;
  const committedDate = commitTime(committer);
  const found = trailers ? [...commitTrailers(message)] : [];
  return {
    id,
    short_id: id.slice(0, 8),
    created_at: committedDate,
    parent_ids: commit.parents,
    title: commitTitle(message),
    message,
    author_name: author.name,
    author_email: author.email,
    authored_date: commitTime(author),
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: committedDate,
    trailers: Object.fromEntries(found.map(([key, values]) => [key, values.at(-1) ?? ''])),
    extended_trailers: Object.fromEntries(found),
    web_url: `${projectUrl}/-/commit/${id}`,
    ...(stats && { stats: presentStats(stats) }),
  };
}

export const presentStats = ({ additions, deletions }: CommitStats) => ({
  additions,
  deletions,
  total: additions + deletions,
});

// The years that `YYYY-MM-DD` can write; git stores any number, and strict clients refuse a whole page over one bad date.
const LAST_TIME = Date.UTC(9999, 11, 30);

/** `2014-02-27T09:26:01.000+01:00`: the local time of whoever committed, as git stored it. */
export function commitTime({ date, offset }: Pick<Identity, 'date' | 'offset'>): string {
  const time = date <= LAST_TIME ? date : 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  const local = time + (offset.startsWith('-') ? -minutes : minutes) * 60_000;
  return new Date(local).toISOString().slice(0, -1) + offset;
}
