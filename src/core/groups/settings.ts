import { type JobLimits, noJobLimits } from '../settings/job-limits.ts';
import type { Namespace } from '../tables.ts';

/** What an owner of a group can set beside the columns of `namespaces`; GitLab's names and GitLab's defaults. */
export interface GroupSettings extends JobLimits {
  project_creation_level: 'noone' | 'owner' | 'maintainer' | 'developer' | 'administrator';
  subgroup_creation_level: 'owner' | 'maintainer';
  request_access_enabled: boolean;
  share_with_group_lock: boolean;
  membership_lock: boolean;
  mentions_disabled: boolean;
  emails_enabled: boolean;
  lfs_enabled: boolean;
  require_two_factor_authentication: boolean;
  two_factor_grace_period: number;
  auto_devops_enabled: boolean | null;
  default_branch: string | null;
  shared_runners_setting: 'enabled' | 'disabled_and_overridable' | 'disabled_and_unoverridable';
}

export const defaultGroupSettings: GroupSettings = {
  project_creation_level: 'developer',
  subgroup_creation_level: 'maintainer',
  request_access_enabled: true,
  share_with_group_lock: false,
  membership_lock: false,
  mentions_disabled: false,
  emails_enabled: true,
  lfs_enabled: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  auto_devops_enabled: null,
  default_branch: null,
  shared_runners_setting: 'enabled',
  ...noJobLimits,
};

/** The stored differences laid over the defaults. */
export function groupSettings(group: Pick<Namespace, 'settings'>): GroupSettings {
  if (group.settings === '{}') return defaultGroupSettings;
  return { ...defaultGroupSettings, ...(JSON.parse(group.settings) as Partial<GroupSettings>) };
}

/** What is stored: only what differs from the defaults. */
export function groupSettingsText(settings: Partial<GroupSettings>): string {
  const entries = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && value !== defaultGroupSettings[name as keyof GroupSettings],
  );
  return JSON.stringify(Object.fromEntries(entries));
}
