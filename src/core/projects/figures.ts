/** Numbers by project id; a project that is not in the answer has none. */
export type Figure = (projectIds: number[]) => Promise<Map<number, number>>;

const none = async () => new Map<number, number>();

/**
 * What a project's own pages show but only rooms above core know. Each room puts its figure here when it is wired; without
 * the room there is nothing to count. Asked for a page of projects at once.
 */
export class ProjectFigures {
  /** Open issues by project; `all` counts those too that not everybody in the project may see. */
  openIssues: (projects: { id: number; all: boolean }[]) => Promise<Map<number, number>> = none;
  artifactBytes: Figure = none;
  snippetBytes: Figure = none;
  /** By which token runners are registered there; null where that is switched off. Asked for who manages the place only. */
  runnersToken: (place: { projectId: number } | { groupId: number }) => Promise<string | null> = async () =>
    null;
  /** The caller's own notification level, as GitLab's number; `GLOBAL_NOTIFICATIONS` where he has set none. */
  notificationLevels: (
    userId: number,
    ids: { projectIds: number[] } | { groupIds: number[] },
  ) => Promise<Map<number, number>> = async () => new Map();
}

export const GLOBAL_NOTIFICATIONS = 3;
