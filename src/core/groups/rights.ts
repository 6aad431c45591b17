import type { GroupAccess } from '../access/access.ts';
import { Level } from '../access/levels.ts';
import { type GroupSettings, groupSettings } from './settings.ts';

const PROJECT_CREATORS: Record<GroupSettings['project_creation_level'], number> = {
  noone: Number.POSITIVE_INFINITY,
  administrator: Level.admin,
  owner: Level.owner,
  maintainer: Level.maintainer,
  developer: Level.developer,
};

/** The group itself says who may make projects in it, within what the ability allows at all. */
export function mayCreateProjects(access: GroupAccess): boolean {
  const { project_creation_level: creators } = groupSettings(access.group);
  return access.can('create_projects') && access.level >= PROJECT_CREATORS[creators];
}

export function mayCreateSubgroups(access: GroupAccess): boolean {
  const { subgroup_creation_level: creators } = groupSettings(access.group);
  return access.can('create_subgroup') && access.level >= Level[creators];
}
