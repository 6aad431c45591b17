import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { InGroup, InProject } from '../../core/guards.ts';
import { fail } from '../../platform/errors.ts';
import { param } from '../../platform/http/params.ts';
import type { GuardCall } from '../../platform/http/route.ts';
import type { MilestoneOwner } from './change.ts';
import type { PlacedMilestone } from './entities.ts';
import { findMilestone } from './store.ts';

/**
 * Milestones live in projects and in groups, under the same routes. This says how a route names either, who may read and who
 * may change what is there; the routes that are the same for both are made from it.
 */
export interface MilestoneHome {
  path: '/projects/:id/milestones' | '/groups/:id/milestones';
  /** The parameters of `path`. */
  params: typeof projectPath;
  /** For the summaries, behind "a milestone". */
  of: '' | ' of a group';
  read: (call: GuardCall<Caller>) => Promise<InHome>;
  write: (call: GuardCall<Caller>) => Promise<InHome>;
}

export const projectPath = {
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
};
export const groupPath = { id: param.string({ description: 'Number or URL-encoded path of the group.' }) };

/** The project or group of a call, as its guard found it. */
export interface InHome {
  owner: MilestoneOwner;
  fullPath: string;
}

const ofProject = ({ project }: InProject): InHome => ({
  owner: { projectId: project.id, groupId: null },
  fullPath: project.full_path,
});

const ofGroup = ({ group }: InGroup): InHome => ({
  owner: { projectId: null, groupId: group.id },
  fullPath: group.full_path,
});

export function milestoneHomes({ guards }: Pick<Core, 'guards'>): MilestoneHome[] {
  const readProject = guards.project('read_milestone');
  const writeProject = guards.project('read_milestone', 'admin_milestone');
  const readGroup = guards.group();
  const writeGroup = guards.group('admin_milestone');
  return [
    {
      path: '/projects/:id/milestones',
      params: projectPath,
      of: '',
      read: async (call) => ofProject(await readProject(call)),
      write: async (call) => ofProject(await writeProject(call)),
    },
    {
      path: '/groups/:id/milestones',
      params: groupPath,
      of: ' of a group',
      read: async (call) => ofGroup(await readGroup(call)),
      write: async (call) => ofGroup(await writeGroup(call)),
    },
  ];
}

/** The milestone of exactly this project or group. Throws 404. */
export async function ownMilestone(
  { db }: Pick<Core, 'db'>,
  { projectId, groupId }: MilestoneOwner,
  id: number,
): Promise<PlacedMilestone> {
  const scope = projectId === null ? { groupIds: [groupId!] } : { projectId, groupIds: [] };
  const milestone = await findMilestone(db, scope, id);
  if (!milestone) throw fail.recordNotFound();
  return milestone;
}
