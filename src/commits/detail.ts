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
import { latestPipelineFinder } from '../jobs/pipelines/pipelines.ts';
import { fail } from '../platform/errors.ts';
import type { WrittenJson } from '../platform/http/answer.ts';
import { nullable } from '../platform/http/params.ts';
import { type Static, Type } from '../platform/http/schema.ts';
import type { FoundCommit } from './find.ts';
import { type PageCache, writePage } from './page-cache.ts';

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
  /** Count lines; the key is absent otherwise. */
  withStats: boolean;
}

/** Who asks; when he leaves, nothing more is done for him. */
interface Waiting {
  readonly signal: AbortSignal;
}

type Detail = Static<typeof CommitDetail>;

/** Shows commits with what is known of them now: what reading one and creating one answer. */
export class CommitDetails {
  readonly #findPipeline: ReturnType<typeof latestPipelineFinder>;
  readonly #pages: PageCache;

  constructor(core: Core, pages: PageCache) {
    this.#findPipeline = latestPipelineFinder(core.database);
    this.#pages = pages;
  }

  async show(found: FoundCommit, asked: Asked, { signal }: Waiting): Promise<Detail> {
    return this.#read(found, asked, { pipeline: await this.#pipelineOf(found, asked), signal });
  }

  /** The same, written, and kept for the next who asks. All but the pipeline is what the commit is for ever. */
  async written(found: FoundCommit, asked: Asked, waiting: Waiting): Promise<WrittenJson> {
    const { project } = asked.guarded;
    const pipeline = await this.#pipelineOf(found, asked);
    const known = pipeline && JSON.stringify(pipeline);
    const key = `commit ${found.oid} ${project.id} ${project.full_path} ${asked.baseUrl} ${asked.withStats} ${known}`;
    const page = await this.#pages.get(found.repo, key, waiting, async (signal) =>
      writePage(await this.#read(found, asked, { pipeline, signal }), 1),
    );
    return page.json;
  }

  async #pipelineOf({ oid }: FoundCommit, { guarded, baseUrl }: Asked): Promise<Detail['last_pipeline']> {
    const { project, access } = guarded;
    const pipeline = access.can('read_pipeline') ? await this.#findPipeline(project.id, oid) : null;
    return pipeline && presentPipelineBasic(pipeline, { project, baseUrl });
  }

  async #read(
    { repo, oid }: FoundCommit,
    { guarded: { project }, baseUrl, withStats }: Asked,
    { pipeline, signal }: Waiting & { pipeline: Detail['last_pipeline'] },
  ): Promise<Detail> {
    const commit = await readCommit(repo, oid, signal);
    if (commit === null) throw fail.notFound('Commit');
    const stats = withStats ? (await commitStats(repo, [oid], signal)).get(oid) : undefined;
    return {
      ...presentCommit(commit, { project, baseUrl }),
      ...(stats && { stats: presentStats(stats) }),
      status: pipeline?.status ?? null,
      project_id: project.id,
      last_pipeline: pipeline,
    };
  }
}
