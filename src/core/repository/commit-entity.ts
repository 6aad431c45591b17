import { commitTitle, commitTrailers } from '../../git/message.ts';
import type { Commit, Identity } from '../../git/objects.ts';
import type { CommitStats } from '../../git/stats.ts';
import { timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { Project } from '../tables.ts';

/** What every list of commits shows, in GitLab's order of keys. */
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

export const CommitBasic = Type.Object(commitFields, { $id: 'Commit' });

export const CommitStatsEntity = Type.Object(
  { additions: Type.Integer(), deletions: Type.Integer(), total: Type.Integer() },
  { $id: 'CommitStats' },
);

/** A list entry whose `stats` are there when they were asked for. */
export const CommitWithStats = Type.Object(
  { ...commitFields, stats: Type.Optional(CommitStatsEntity) },
  { $id: 'CommitWithStats' },
);

/** Where a commit is shown: its address is that of its project. */
export interface CommitPlace {
  project: Pick<Project, 'full_path'>;
  /** No slash at the end. */
  baseUrl: string;
}

interface BasicOptions {
  /** Parse the trailers out of the message; GitLab leaves them empty unless asked. */
  trailers?: boolean | null | undefined;
}

export function presentCommit(
  commit: Commit,
  { project, baseUrl }: CommitPlace,
  { trailers }: BasicOptions = {},
): Static<typeof CommitBasic> {
  const committed = commitDate(commit.committer);
  return {
    id: commit.id,
    short_id: commit.id.slice(0, 8),
    created_at: committed,
    parent_ids: commit.parents,
    title: commitTitle(commit.message),
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: commitDate(commit.author),
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: committed,
    ...presentTrailers(trailers ? commit.message : null),
    web_url: `${baseUrl}/${project.full_path}/-/commit/${commit.id}`,
  };
}

export function presentCommitWithStats(
  commit: Commit,
  place: CommitPlace,
  options: BasicOptions & { stats?: CommitStats | undefined },
): Static<typeof CommitWithStats> {
  const basic = presentCommit(commit, place, options);
  return options.stats ? { ...basic, stats: presentStats(options.stats) } : basic;
}

export function presentStats({ additions, deletions }: CommitStats): Static<typeof CommitStatsEntity> {
  return { additions, deletions, total: additions + deletions };
}

/** `2014-02-27T09:26:01.000+01:00`: in the zone of who wrote it. A date that no calendar has shows as the epoch. */
export function commitDate({ date, offset }: Pick<Identity, 'date' | 'offset'>): string {
  const match = /^([+-])(\d\d):(\d\d)$/.exec(offset);
  const minutes = match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
  const local = new Date(date + minutes * 60_000);
  // Git keeps any number of seconds; JSON clients want four digits of a year.
  const year = local.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return '1970-01-01T00:00:00.000+00:00';
  return local.toISOString().slice(0, -1) + (match ? offset : '+00:00');
}

function presentTrailers(message: string | null) {
  const found = message === null ? [] : [...commitTrailers(message)];
  return {
    trailers: Object.fromEntries(found.map(([key, values]) => [key, values.at(-1) ?? ''])),
    extended_trailers: Object.fromEntries(found),
  };
}
