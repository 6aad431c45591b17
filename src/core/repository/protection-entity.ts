import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { ProtectedBranch, ProtectedTag } from '../tables.ts';

/** Levels that a rule may name. */
export const RULE_LEVELS: readonly number[] = [0, 30, 40, 60];

const DESCRIPTIONS: Record<number, string> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
};

const AccessLevel = Type.Object(
  {
    id: Type.Integer(),
    access_level: Type.Integer(),
    access_level_description: Type.String(),
    deploy_key_id: nullable(Type.Integer()),
    user_id: nullable(Type.Integer()),
    group_id: nullable(Type.Integer()),
  },
  { $id: 'ProtectedRefAccessLevel' },
);

export const ProtectedBranchEntity = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    push_access_levels: Type.Array(AccessLevel),
    merge_access_levels: Type.Array(AccessLevel),
    unprotect_access_levels: Type.Array(AccessLevel),
    allow_force_push: Type.Boolean(),
    code_owner_approval_required: Type.Boolean(),
    inherited: Type.Boolean(),
  },
  { $id: 'ProtectedBranch' },
);

export const ProtectedTagEntity = Type.Object(
  { name: Type.String(), create_access_levels: Type.Array(AccessLevel) },
  { $id: 'ProtectedTag' },
);

/** A rule has one level of each kind, so that its own number names the level as well. */
function accessLevel(ruleId: number, level: number): Static<typeof AccessLevel> {
  return {
    id: ruleId,
    access_level: level,
    access_level_description: DESCRIPTIONS[level] ?? String(level),
    deploy_key_id: null,
    user_id: null,
    group_id: null,
  };
}

export function presentProtectedBranch(rule: ProtectedBranch): Static<typeof ProtectedBranchEntity> {
  const unprotect = rule.unprotect_access_level;
  return {
    id: rule.id,
    name: rule.name,
    push_access_levels: [accessLevel(rule.id, rule.push_access_level)],
    merge_access_levels: [accessLevel(rule.id, rule.merge_access_level)],
    unprotect_access_levels: unprotect === null ? [] : [accessLevel(rule.id, unprotect)],
    allow_force_push: rule.allow_force_push === 1,
    code_owner_approval_required: false,
    inherited: false,
  };
}

export function presentProtectedTag(rule: ProtectedTag): Static<typeof ProtectedTagEntity> {
  return { name: rule.name, create_access_levels: [accessLevel(rule.id, rule.create_access_level)] };
}
