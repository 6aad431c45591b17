import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { Visitor } from '../caller.ts';
import type { Core } from '../core.ts';
import { isoTime } from '../entities.ts';
import { namespaceUrl } from '../namespaces/entities.ts';
import { Project, SharedGroups } from '../projects/entities.ts';
import { jobLimitFields } from '../settings/job-limits.ts';
import type { Namespace } from '../tables.ts';
import { groupSettings } from './settings.ts';
import { sharesOf } from './shares-store.ts';

const fields = {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  path: Type.String(),
  description: nullable(Type.String()),
  visibility: Type.String(),
  share_with_group_lock: Type.Boolean(),
  require_two_factor_authentication: Type.Boolean(),
  two_factor_grace_period: Type.Integer(),
  project_creation_level: Type.String(),
  auto_devops_enabled: nullable(Type.Boolean()),
  subgroup_creation_level: Type.String(),
  emails_disabled: Type.Boolean(),
  emails_enabled: Type.Boolean(),
  mentions_disabled: Type.Boolean(),
  membership_lock: Type.Boolean(),
  lfs_enabled: Type.Boolean(),
  default_branch: nullable(Type.String()),
  default_branch_protection: Type.Integer(),
  avatar_url: nullable(Type.String()),
  request_access_enabled: Type.Boolean(),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: timestamp(),
  parent_id: nullable(Type.Integer()),
  shared_runners_setting: Type.String(),
  ...jobLimitFields,
  wiki_access_level: Type.String(),
  marked_for_deletion_on: Type.Null(),
};

export const Group = Type.Object(fields, { $id: 'Group' });

export const GroupDetail = Type.Object(
  {
    ...fields,
    shared_with_groups: SharedGroups,
    projects: Type.Optional(Type.Array(Project)),
    shared_projects: Type.Optional(Type.Array(Project)),
    runners_token: Type.Optional(nullable(Type.String())),
  },
  { $id: 'GroupDetail' },
);

type GroupEntity = Static<typeof Group>;
export type GroupDetailEntity = Static<typeof GroupDetail>;

export async function presentGroups(core: Core, groups: Namespace[]): Promise<GroupEntity[]> {
  const protection = await core.settings.get('default_branch_protection');
  return groups.map((group) => presentGroup(group, core.baseUrl(), protection));
}

function presentGroup(group: Namespace, baseUrl: string, protection: number): GroupEntity {
  const settings = groupSettings(group);
  return {
    id: group.id,
    web_url: namespaceUrl(group, baseUrl),
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    ...settings,
    emails_disabled: !settings.emails_enabled,
    default_branch_protection: protection,
    avatar_url: null,
    full_name: group.full_name,
    full_path: group.full_path,
    created_at: isoTime(group.created_at),
    parent_id: group.parent_id,
    wiki_access_level: 'disabled',
    marked_for_deletion_on: null,
  };
}

/** One group with those it is shared with, as far as the caller may know of them. */
export async function presentGroupDetail(
  core: Core,
  caller: Visitor,
  group: Namespace,
): Promise<GroupDetailEntity> {
  const [[entity], shares] = await Promise.all([
    presentGroups(core, [group]),
    sharesOf(core.db, 'group', [group.id], core.access.viewer(caller)),
  ]);
  return { ...entity!, shared_with_groups: shares.get(group.id) ?? [] };
}
