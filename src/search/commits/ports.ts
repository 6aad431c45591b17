import type { Project } from '../../core/tables.ts';

/** A pipeline as the jobs room presents it. */
export interface ShownPipeline {
  status: string;
}

/** What the jobs room knows of commits: the newest pipeline of each, by its id. */
export type FindPipelines = (
  project: Pick<Project, 'id' | 'full_path'>,
  shas: readonly string[],
  baseUrl: string,
) => Promise<ReadonlyMap<string, ShownPipeline>>;
