import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { User } from '../../core/tables.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import { type Commit, readCommits } from '../../git/objects.ts';
import { RepositoryNotFound } from '../../git/repository.ts';
import { artifactsOf } from '../artifacts/store.ts';
import type { ArtifactRow } from '../artifacts/tables.ts';
import { findManagers, latestManagers } from '../runners/managers-store.ts';
import { findRunners } from '../runners/store.ts';
import type { RunnerManagerRow, RunnerRow } from '../runners/tables.ts';
import type { JobRow, PipelineRow } from '../tables.ts';
import { busyRunners, pipelinesByIds } from './store.ts';

/** All that a page of jobs shows beside their rows, by id: read with as many queries for a hundred jobs as for one. */
export interface Surroundings {
  pipelines: ReadonlyMap<number, PipelineRow>;
  /** By the full id; null for one that the repository does not have. */
  commits: ReadonlyMap<string, Commit | null>;
  users: ReadonlyMap<number, User>;
  artifacts: ReadonlyMap<number, ArtifactRow[]>;
  runners: ReadonlyMap<number, RunnerRow>;
  managers: ReadonlyMap<number, RunnerManagerRow>;
  /** The machine of each runner that was heard of last. */
  latest: ReadonlyMap<number, RunnerManagerRow>;
  busy: ReadonlySet<number>;
}

export async function surroundingsOf(
  core: Pick<Core, 'db' | 'repositoryOf'>,
  project: ProjectWithNamespace,
  jobs: readonly JobRow[],
): Promise<Surroundings> {
  const { db } = core;
  const runnerIds = [...new Set(jobs.flatMap(({ runner_id: id }) => id ?? []))];
  const managerIds = jobs.flatMap(({ runner_manager_id: id }) => id ?? []);
  const [pipelines, artifacts, runners, managers, latest, busy] = await Promise.all([
    pipelinesByIds(
      db,
      jobs.map(({ pipeline_id: id }) => id),
    ),
    artifactsOf(
      db,
      jobs.map(({ id }) => id),
    ),
    findRunners(db, runnerIds),
    findManagers(db, managerIds),
    latestManagers(db, runnerIds),
    busyRunners(db, runnerIds),
  ]);
  const creators = [...runners.values()].flatMap(({ creator_id: id }) => id ?? []);
  const people = jobs.flatMap(({ user_id: id }) => id ?? []);
  const [users, commits] = await Promise.all([
    findUsersByIds(db, [...new Set([...people, ...creators])]),
    commitsOf(core, project, [...pipelines.values()]),
  ]);
  return { pipelines, commits, users, artifacts, runners, managers, latest, busy };
}

async function commitsOf(
  { repositoryOf }: Pick<Core, 'repositoryOf'>,
  project: ProjectWithNamespace,
  pipelines: readonly PipelineRow[],
): Promise<Map<string, Commit | null>> {
  const shas = [...new Set(pipelines.map(({ sha }) => sha))];
  if (shas.length === 0) return new Map();
  try {
    const commits = await readCommits(repositoryOf(project), shas);
    return new Map(shas.map((sha, at) => [sha, commits[at] ?? null]));
  } catch (error) {
    // jobs outlast the repository that they were about
    if (error instanceof RepositoryNotFound) return new Map();
    throw error;
  }
}
