import type { Generated, Selectable } from 'kysely';

/** A note on a merge request that nobody but its author sees until he publishes it. */
export interface DraftNotesTable {
  id: Generated<number>;
  merge_request_id: number;
  author_id: number;
  /** The thread that it answers; null: it begins one. */
  discussion_id: string | null;
  /** 1: the thread is resolved when it is published. */
  resolve_discussion: Generated<number>;
  note: string;
  commit_id: string | null;
  /** JSON of `NotePosition`. */
  position: string | null;
  line_code: string | null;
  created_at: number;
  updated_at: number;
}

export type DraftNoteRow = Selectable<DraftNotesTable>;

declare module '../../../../platform/db/tables.ts' {
  interface Tables {
    draft_notes: DraftNotesTable;
  }
}
