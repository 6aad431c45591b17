import { traversalIds } from '../access/store.ts';
import type { InGroup, InProject } from '../guards.ts';

/** A project or a group as the thing that people are members of. */
export interface MemberSource {
  kind: 'project' | 'group';
  id: number;
  name: string;
  /** Columns of a member row here: exactly one is set. */
  columns: { project_id: number | null; namespace_id: number | null };
  /** Groups above, nearest last; for a project its own group too. */
  ancestorIds: number[];
  /** Who cannot be taken out of a personal project: it is his namespace. */
  holderId: number | null;
  /** The caller's level here, and whether he may manage members. */
  level: number;
  canAdmin: boolean;
  requestsEnabled: boolean;
}

export function sourceOfProject({ project, access }: InProject, requestsEnabled: boolean): MemberSource {
  return {
    kind: 'project',
    id: project.id,
    name: project.name,
    columns: { project_id: project.id, namespace_id: null },
    ancestorIds: traversalIds(project.traversal),
    holderId: project.namespace_owner_id,
    level: access.level,
    canAdmin: access.can('admin_members'),
    requestsEnabled,
  };
}

export function sourceOfGroup({ group, access }: InGroup, requestsEnabled: boolean): MemberSource {
  return {
    kind: 'group',
    id: group.id,
    name: group.name,
    columns: { project_id: null, namespace_id: group.id },
    ancestorIds: traversalIds(group.traversal).filter((id) => id !== group.id),
    holderId: null,
    level: access.level,
    canAdmin: access.can('admin_members'),
    requestsEnabled,
  };
}
