import type { Core } from '../../core/core.ts';
import { isoTimeOrNull } from '../../core/entities.ts';
import { namespaceUrl } from '../../core/namespaces/entities.ts';
import { findNamespacesByIds } from '../../core/namespaces/store.ts';
import { findProjectsByIds } from '../../core/projects/store.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import {
  presentManager,
  presentRunner,
  presentRunnerProject,
  type RunnerContext,
  type RunnerDetailEntity,
  type RunnerEntity,
  type RunnerManagerEntity,
} from './entities.ts';
import { tagsOf } from './fields.ts';
import { busyManagers, busyRunners } from './list-store.ts';
import { latestManagers } from './managers-store.ts';
import { projectIdsOf } from './store.ts';
import type { RunnerManagerRow, RunnerRow } from './tables.ts';

type Deps = Pick<Core, 'db' | 'clock' | 'baseUrl'>;

/** A page of runners by a fixed number of queries. */
export async function presentRunners(core: Deps, runners: readonly RunnerRow[]): Promise<RunnerEntity[]> {
  const context = await contextOf(core, runners);
  return runners.map((runner) => presentRunner(runner, context(runner)));
}

export async function presentManagers(
  { db, clock }: Pick<Core, 'db' | 'clock'>,
  managers: readonly RunnerManagerRow[],
): Promise<RunnerManagerEntity[]> {
  const busy = await busyManagers(
    db,
    managers.map(({ id }) => id),
  );
  const now = clock.now();
  return managers.map((manager) => presentManager(manager, { now, busy: busy.has(manager.id) }));
}

/** One runner with everything; projects and groups as far as `maySee` says. */
export async function presentRunnerDetail(
  core: Deps,
  runner: RunnerRow,
  maySee: { projects: (ids: number[]) => Promise<ReadonlySet<number>> },
): Promise<RunnerDetailEntity> {
  const context = (await contextOf(core, [runner]))(runner);
  const ids = await projectIdsOf(core.db, runner.id);
  const [seen, groups] = await Promise.all([
    maySee.projects(ids),
    findNamespacesByIds(core.db, runner.namespace_id === null ? [] : [runner.namespace_id]),
  ]);
  const projects = await findProjectsByIds(
    core.db,
    ids.filter((id) => seen.has(id)),
  );
  const { manager, baseUrl } = context;
  return {
    ...presentRunner(runner, context),
    tag_list: tagsOf(runner),
    run_untagged: runner.run_untagged === 1,
    locked: runner.locked === 1,
    maximum_timeout: runner.maximum_timeout,
    access_level: runner.access_level,
    version: manager?.version ?? null,
    revision: manager?.revision ?? null,
    platform: manager?.platform ?? null,
    architecture: manager?.architecture ?? null,
    contacted_at: isoTimeOrNull(runner.contacted_at),
    maintenance_note: runner.maintenance_note,
    projects: projects.map(presentRunnerProject),
    groups: [...groups.values()].map((group) => ({
      id: group.id,
      web_url: namespaceUrl(group, baseUrl),
      name: group.name,
    })),
  };
}

async function contextOf(
  { db, clock, baseUrl }: Deps,
  runners: readonly RunnerRow[],
): Promise<(runner: RunnerRow) => RunnerContext> {
  const ids = runners.map(({ id }) => id);
  const [creators, busy, managers] = await Promise.all([
    findUsersByIds(
      db,
      runners.flatMap((runner) => runner.creator_id ?? []),
    ),
    busyRunners(db, ids),
    latestManagers(db, ids),
  ]);
  const shared = { now: clock.now(), baseUrl: baseUrl() };
  return (runner) => ({
    ...shared,
    creator: creators.get(runner.creator_id ?? 0),
    busy: busy.has(runner.id),
    manager: managers.get(runner.id),
  });
}
