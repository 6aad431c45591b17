import type { Visitor } from '../caller.ts';
import type { Core } from '../core.ts';
import { listProjects, type ProjectFilter } from '../projects/list-store.ts';
import { presentProjects } from '../projects/present.ts';
import type { Namespace } from '../tables.ts';
import type { GroupDetailEntity } from './entities.ts';

/** GitLab shows no more here: the rest is what `/groups/:id/projects` is for. */
const MAX_SHOWN = 100;

/** The group's own projects and those shared with it, as far as the caller may see them. */
export async function groupContents(
  core: Core,
  caller: Visitor,
  group: Namespace,
): Promise<Pick<GroupDetailEntity, 'projects' | 'shared_projects'>> {
  const viewer = core.access.viewer(caller);
  const show = async (filter: Omit<ProjectFilter, 'viewer'>) => {
    const order = { by: 'id', direction: 'desc' } as const;
    const rows = await listProjects(core.db, { viewer, ...filter }, order, { limit: MAX_SHOWN });
    return presentProjects(core, caller, rows);
  };
  const [projects, shared_projects] = await Promise.all([
    show({ namespaceIds: [group.id] }),
    show({ sharedWith: group.id }),
  ]);
  return { projects, shared_projects };
}
