import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, type TProperties, Type } from '../../platform/http/schema.ts';
import { isoTimeOrNull } from '../entities.ts';
import { protectionDefaults } from './branch-protection.ts';
import { type ApplicationSettings, registry, settingNames } from './registry.ts';

/** Features that the service does not have, with the value that GitLab shows where they are off. */
const SWITCHED_OFF = {
  signup_enabled: false,
  gravatar_enabled: false,
  password_authentication_enabled_for_web: false,
  password_authentication_enabled_for_git: false,
  require_two_factor_authentication: false,
  user_oauth_applications: false,
  auto_devops_enabled: false,
  admin_mode: false,
  usage_ping_enabled: false,
  version_check_enabled: false,
} as const;

const offFields = Object.fromEntries(Object.keys(SWITCHED_OFF).map((name) => [name, Type.Boolean()]));
const settingFields: TProperties = Object.fromEntries(
  settingNames.map((name) => [name, registry[name].answer]),
);

const Levels = Type.Array(Type.Object({ access_level: Type.Integer() }));

export const ApplicationSettingsEntity = Type.Object(
  {
    id: Type.Integer(),
    updated_at: nullable(timestamp()),
    ...settingFields,
    ...offFields,
    enabled_git_access_protocol: Type.Literal('http'),
    restricted_visibility_levels: Type.Array(Type.String()),
    default_branch_protection_defaults: Type.Object({
      allowed_to_push: Levels,
      allowed_to_merge: Levels,
      allow_force_push: Type.Boolean(),
      developer_can_initial_push: Type.Boolean(),
    }),
  },
  { $id: 'ApplicationSettings' },
);

export function presentSettings(
  settings: Readonly<ApplicationSettings>,
  changedAt: number | null,
): Static<typeof ApplicationSettingsEntity> {
  return {
    id: 1,
    updated_at: isoTimeOrNull(changedAt),
    ...settings,
    ...SWITCHED_OFF,
    enabled_git_access_protocol: 'http' as const,
    restricted_visibility_levels: [],
    default_branch_protection_defaults: protectionDefaults(settings.default_branch_protection),
  };
}
