import { nullable } from '../../../../platform/http/params.ts';
import { type Static, Type } from '../../../../platform/http/schema.ts';
import { NotePosition } from '../../positions/position.ts';
import type { DraftNoteRow } from './tables.ts';

const text = nullable(Type.String());

/** What GitLab shows of a draft without a place. */
const NoPosition = Type.Object(
  {
    base_sha: Type.Null(),
    start_sha: Type.Null(),
    head_sha: Type.Null(),
    old_path: Type.Null(),
    new_path: Type.Null(),
    position_type: Type.String(),
    old_line: Type.Null(),
    new_line: Type.Null(),
    line_range: Type.Null(),
  },
  { $id: 'NoPosition' },
);

const NOWHERE: Static<typeof NoPosition> = {
  base_sha: null,
  start_sha: null,
  head_sha: null,
  old_path: null,
  new_path: null,
  position_type: 'text',
  old_line: null,
  new_line: null,
  line_range: null,
};

export const DraftNote = Type.Object(
  {
    id: Type.Integer(),
    author_id: Type.Integer(),
    merge_request_id: Type.Integer(),
    resolve_discussion: Type.Boolean(),
    discussion_id: text,
    note: Type.String(),
    commit_id: text,
    line_code: text,
    position: Type.Union([NotePosition, NoPosition]),
  },
  { $id: 'DraftNote' },
);

export const presentDraft = (row: DraftNoteRow): Static<typeof DraftNote> => ({
  id: row.id,
  author_id: row.author_id,
  merge_request_id: row.merge_request_id,
  resolve_discussion: row.resolve_discussion === 1,
  discussion_id: row.discussion_id,
  note: row.note,
  commit_id: row.commit_id,
  line_code: row.line_code,
  position: row.position === null ? NOWHERE : (JSON.parse(row.position) as NotePosition),
});
