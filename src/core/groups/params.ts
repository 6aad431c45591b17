import { optional, param } from '../../platform/http/params.ts';
import type { Static } from '../../platform/http/schema.ts';
import type { GroupSettings } from './settings.ts';

/** What may be said of a group when it is made and when it is changed, beside its name, path and visibility. */
export const groupSettingParams = {
  project_creation_level: optional(
    param.oneOf(['noone', 'owner', 'maintainer', 'developer', 'administrator']),
  ),
  subgroup_creation_level: optional(param.oneOf(['owner', 'maintainer'])),
  request_access_enabled: optional(param.boolean()),
  share_with_group_lock: optional(param.boolean()),
  membership_lock: optional(param.boolean()),
  mentions_disabled: optional(param.boolean()),
  emails_enabled: optional(param.boolean()),
  emails_disabled: optional(param.boolean({ description: 'The opposite of `emails_enabled`.' })),
  lfs_enabled: optional(param.boolean()),
  require_two_factor_authentication: optional(param.boolean()),
  two_factor_grace_period: optional(param.integer({ minimum: 0 })),
  auto_devops_enabled: optional(param.boolean()),
  default_branch: optional(param.string({ maxLength: 255 })),
  shared_runners_setting: optional(
    param.oneOf(['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable']),
  ),
};

type Given = { [K in keyof typeof groupSettingParams]?: Static<(typeof groupSettingParams)[K]> | undefined };

/** The settings that a call chooses; those it leaves out are absent. */
export function chosenGroupSettings({ emails_disabled: silent, ...params }: Given): Partial<GroupSettings> {
  const chosen: Record<string, unknown> = {};
  for (const name of Object.keys(groupSettingParams)) {
    const value = params[name as keyof typeof params];
    if (value !== undefined && value !== null) chosen[name] = value === '' ? null : value;
  }
  const says = silent !== undefined && silent !== null && params.emails_enabled == null;
  return { ...chosen, ...(says && { emails_enabled: !silent }) };
}
