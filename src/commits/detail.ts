import type { Static } from 'typebox';
import type { Core } from '../core/core.ts';
import type { InProject } from '../core/guards.ts';
import { type CommitDetail, presentCommitDetail } from '../core/repository/commit-entity.ts';
import { readCommit } from '../git/objects.ts';
import { commitStats } from '../git/stats.ts';
import { presentPipelineBasic } from '../jobs/entities.ts';
import { latestPipelineFor } from '../jobs/pipelines.ts';
import { fail } from '../platform/errors.ts';
import type { FoundCommit } from './find.ts';

interface Asked {
  guarded: InProject;
  baseUrl: string;
  signal: AbortSignal;
  /** Count lines; the key is absent otherwise. */
  withStats: boolean;
}

/** One commit with what is known of it now: what reading it and creating it answer. */
export async function commitDetail(
  core: Core,
  { repo, oid }: FoundCommit,
  { guarded: { project, access }, baseUrl, signal, withStats }: Asked,
): Promise<Static<typeof CommitDetail>> {
  const commit = await readCommit(repo, oid, signal);
  if (commit === null) throw fail.notFound('Commit');
  const stats = withStats ? (await commitStats(repo, [oid], signal)).get(oid) : undefined;
  const pipeline = access.can('read_pipeline') ? await latestPipelineFor(core.db, project.id, oid) : null;
  const place = { project, baseUrl };
  return presentCommitDetail(commit, place, {
    stats,
    status: pipeline?.status ?? null,
    lastPipeline: pipeline && presentPipelineBasic(pipeline, place),
  });
}
