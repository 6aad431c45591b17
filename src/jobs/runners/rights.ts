import { Level } from '../../core/access/levels.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findGroup } from '../../core/namespaces/find.ts';
import { findProjectsByIds } from '../../core/projects/store.ts';
import { fail } from '../../platform/errors.ts';
import type { GuardCall } from '../../platform/http/route.ts';
import { findRunner, projectIdsOf } from './store.ts';
import type { RunnerRow } from './tables.ts';

type Deps = Pick<Core, 'db' | 'access'>;

/** Whether the caller looks after a runner: administrators do after all, owners after their group's, maintainers after their project's. */
export async function mayManage(core: Deps, caller: Caller, runner: RunnerRow): Promise<boolean> {
  if (caller.admin) return true;
  switch (runner.runner_type) {
    case 'instance_type':
      return false;
    case 'group_type': {
      const group = await findGroup(core.db, String(runner.namespace_id));
      return group !== null && (await core.access.group(caller, group)).can('admin_group');
    }
    case 'project_type': {
      const projects = await projectsMaintained(core, caller, await projectIdsOf(core.db, runner.id));
      return projects.size > 0;
    }
  }
}

/** Those of the projects that the caller may manage. */
export async function projectsMaintained(
  { db, access }: Deps,
  caller: Caller,
  ids: number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rights = await access.projects(caller, await findProjectsByIds(db, ids));
  return new Set(ids.filter((id) => (rights.get(id)?.level ?? 0) >= Level.maintainer));
}

type Call = GuardCall<Caller>;

/** The runner of `:id`; `read` lets everybody see those of the instance. */
export const runnerGuard =
  (core: Deps, right: 'read' | 'manage') =>
  async ({ caller, path }: Call): Promise<RunnerRow> => {
    const reference = path['id'] ?? '';
    if (!/^\d{1,15}$/.test(reference)) throw fail.params('id is invalid');
    const runner = await findRunner(core.db, Number(reference));
    if (!runner) throw fail.recordNotFound();
    const open = right === 'read' && runner.runner_type === 'instance_type';
    if (!open && !(await mayManage(core, caller, runner))) throw fail.forbidden('No access granted');
    return runner;
  };
