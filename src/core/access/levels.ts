/** GitLab's access levels. */
export const Level = {
  none: 0,
  guest: 10,
  planner: 15,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
  /** Never stored on a member: what an administrator has everywhere. */
  admin: 60,
} as const;

/** What a member row may hold. */
export const MEMBER_LEVELS: readonly number[] = [10, 15, 20, 30, 40, 50];
