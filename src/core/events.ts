import type { Visibility } from './tables.ts';

/** What changed in a project: the value before and the value now, by name. Absent means unchanged. */
export interface ProjectChanges {
  /** Full path: a rename, a transfer, or either of a group above. */
  path?: [before: string, after: string];
  name?: [before: string, after: string];
  namespaceId?: [before: number, after: number];
  visibility?: [before: Visibility, after: Visibility];
  archived?: [before: boolean, after: boolean];
  defaultBranch?: [before: string | null, after: string | null];
}

declare module '../platform/events/event.ts' {
  interface EventTypes {
    'project.created': {
      projectId: number;
      namespaceId: number;
      userId: number;
      /** The project whose commits it began with. */
      forkedFromId: number | null;
    };
    'project.updated': { projectId: number; userId: number | null; changes: ProjectChanges };
    /** The row and all that hung on it are gone already: what a subscriber still needs is in here. */
    'project.deleted': {
      projectId: number;
      namespaceId: number;
      fullPath: string;
      storagePath: string;
      userId: number | null;
    };
    /** Somebody asked for its repository to be tidied up. */
    'project.housekeeping': { projectId: number };
    'group.deleted': { groupId: number; fullPath: string; userId: number | null };
    /** An address beside the main one, which nobody has confirmed. */
    'user.email_added': { userId: number; emailId: number };
    'member.changed': {
      userId: number;
      groupId: number | null;
      projectId: number | null;
      /** null when he is no member any more. */
      accessLevel: number | null;
      byUserId: number | null;
    };
  }
}

export const projectStream = (projectId: number): string => `project:${projectId}`;
export const userStream = (userId: number): string => `user:${userId}`;
export const groupStream = (groupId: number): string => `group:${groupId}`;
