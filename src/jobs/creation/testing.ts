import { type SeedCommit, seedCommit, seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { DialectName } from '../../platform/db/migrate.ts';
import { finishJob } from '../processing/finish-job.ts';
import { lockJob } from '../processing/locked-job.ts';
import { processPipeline } from '../processing/process-pipeline.ts';
import { moveJob } from '../processing/transitions.ts';
import type { JobStatus } from '../states.ts';
import type { JobRow, PipelineRow } from '../tables.ts';

/** A service with projects whose pipelines are looked at from the outside; jobs are ended by hand. */
export class PipelineBench implements AsyncDisposable {
  readonly service: TestService;
  #projects = 0;

  private constructor(service: TestService) {
    this.service = service;
  }

  static async open(kind: DialectName): Promise<PipelineBench> {
    return new PipelineBench(await startService({ kind }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service.close();
  }

  project(settings: Record<string, unknown> = {}): Promise<ProjectWithNamespace> {
    const path = `pipelines-${++this.#projects}`;
    return seedProject(this.service.core, path, { settings: JSON.stringify(settings) });
  }

  /** Pushes a configuration to `main`, null for none, and waits for what follows from it. */
  async push(
    project: ProjectWithNamespace,
    config: string | null,
    more: Partial<SeedCommit> = {},
  ): Promise<string> {
    const files = { ...(config !== null && { '.gitlab-ci.yml': config }), ...more.files };
    const sha = await seedCommit(this.service.core, project, { branch: 'main', ...more, files });
    await this.settled();
    return sha;
  }

  settled(): Promise<void> {
    return this.service.core.events.idle();
  }

  /** Oldest first, children among them. */
  pipelines(project: { id: number }): Promise<PipelineRow[]> {
    return this.service.core.db
      .selectFrom('pipelines')
      .selectAll()
      .where('project_id', '=', project.id)
      .orderBy('id')
      .execute();
  }

  /** Of the newest pipeline: status by name, in the order of the stages. */
  async jobs(project: { id: number }, pipelineId?: number): Promise<Record<string, JobStatus>> {
    const rows = await this.rows(project, pipelineId);
    return Object.fromEntries(rows.map(({ name, status }) => [name, status]));
  }

  async rows(project: { id: number }, pipelineId?: number): Promise<JobRow[]> {
    const id = pipelineId ?? (await this.pipelines(project)).at(-1)!.id;
    return this.service.core.db
      .selectFrom('jobs')
      .selectAll()
      .where('pipeline_id', '=', id)
      .where('retried', '=', 0)
      .orderBy('stage_idx')
      .orderBy('id')
      .execute();
  }

  /** Runs a job that waits, as a runner would, and lets the rest follow. */
  async run(job: Pick<JobRow, 'id'>, status?: 'success' | 'failed'): Promise<void> {
    const { core } = this.service;
    await core.database.transaction(async (tx) => {
      const locked = await lockJob(tx, job.id);
      if (!locked) return;
      await moveJob(tx, core, locked, 'running');
      await processPipeline(tx, core, locked.pipeline_id);
      if (status) await finishJob(tx, core, job.id, { status });
    });
    await this.settled();
  }
}
