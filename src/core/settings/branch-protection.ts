import { Level } from '../access/levels.ts';

/** GitLab's five levels of `default_branch_protection`: what the default branch of a new project gets. */
export const Protection = { none: 0, partial: 1, full: 2, againstPushes: 3, fullAfterFirstPush: 4 } as const;

export interface BranchProtectionDefaults {
  allowed_to_push: { access_level: number }[];
  allowed_to_merge: { access_level: number }[];
  allow_force_push: boolean;
  developer_can_initial_push: boolean;
}

/** A level spelled out as newer clients read it. */
export function protectionDefaults(level: number): BranchProtectionDefaults {
  return {
    allowed_to_push: [{ access_level: pushLevel(level) }],
    allowed_to_merge: [{ access_level: mergeLevel(level) }],
    allow_force_push: level === Protection.none,
    developer_can_initial_push: level === Protection.fullAfterFirstPush,
  };
}

/** The rule for the default branch; null where it is not protected. */
export function defaultBranchRule(
  level: number,
): { push_access_level: number; merge_access_level: number } | null {
  if (level === Protection.none) return null;
  return { push_access_level: pushLevel(level), merge_access_level: mergeLevel(level) };
}

/** The role that may push the first branch of an empty project. */
export const firstPushLevel = (level: number): number =>
  level === Protection.fullAfterFirstPush ? Level.developer : pushLevel(level);

const pushLevel = (level: number): number =>
  level <= Protection.partial ? Level.developer : Level.maintainer;

const mergeLevel = (level: number): number =>
  level === Protection.againstPushes ? Level.developer : pushLevel(level);
