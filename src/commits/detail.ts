import { type Static, Type } from 'typebox';
import type { Core } from '../core/core.ts';
import type { InProject } from '../core/guards.ts';
import {
  CommitStatsEntity,
  commitFields,
  presentCommit,
  presentStats,
} from '../core/repository/commit-entity.ts';
import { readCommit } from '../git/objects.ts';
import { commitStats } from '../git/stats.ts';
import { PipelineBasic, presentPipelineBasic } from '../jobs/entities.ts';
import { latestPipelineFinder } from '../jobs/pipelines.ts';
import { fail } from '../platform/errors.ts';
import { nullable } from '../platform/http/params.ts';
import type { FoundCommit } from './find.ts';

/** A single commit. `stats` is absent when the caller asked for none; `status` is that of the newest pipeline on any ref. */
export const CommitDetail = Type.Object(
  {
    ...commitFields,
    stats: Type.Optional(CommitStatsEntity),
    status: nullable(Type.String()),
    project_id: Type.Integer(),
    last_pipeline: nullable(PipelineBasic),
  },
  { $id: 'CommitDetail' },
);

interface Asked {
  guarded: InProject;
  baseUrl: string;
  signal: AbortSignal;
  /** Count lines; the key is absent otherwise. */
  withStats: boolean;
}

type ShowCommit = (found: FoundCommit, asked: Asked) => Promise<Static<typeof CommitDetail>>;

/** Shows one commit with what is known of it now: what reading it and creating it answer. */
export function commitDetails(core: Core): ShowCommit {
  const findPipeline = latestPipelineFinder(core.db);
  return (found, asked) => showCommit(found, asked, findPipeline);
}

async function showCommit(
  { repo, oid }: FoundCommit,
  { guarded: { project, access }, baseUrl, signal, withStats }: Asked,
  findPipeline: ReturnType<typeof latestPipelineFinder>,
): Promise<Static<typeof CommitDetail>> {
  const commit = await readCommit(repo, oid, signal);
  if (commit === null) throw fail.notFound('Commit');
  const stats = withStats ? (await commitStats(repo, [oid], signal)).get(oid) : undefined;
  const pipeline = access.can('read_pipeline') ? await findPipeline(project.id, oid) : null;
  const place = { project, baseUrl };
  return {
    ...presentCommit(commit, place),
    ...(stats && { stats: presentStats(stats) }),
    status: pipeline?.status ?? null,
    project_id: project.id,
    last_pipeline: pipeline && presentPipelineBasic(pipeline, place),
  };
}
