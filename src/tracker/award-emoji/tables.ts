import type { Generated, Selectable } from 'kysely';

/** What somebody can react to. */
export type AwardableType = 'Issue' | 'MergeRequest' | 'Snippet' | 'Note';

export interface AwardEmojiTable {
  id: Generated<number>;
  project_id: number;
  awardable_type: AwardableType;
  awardable_id: number;
  user_id: number;
  /** As GitLab calls it: `thumbsup`, not `+1`. */
  name: string;
  created_at: number;
  updated_at: number;
}

export type AwardRow = Selectable<AwardEmojiTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    award_emoji: AwardEmojiTable;
  }
}
