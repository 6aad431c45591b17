import type { NoteRow } from '../tables.ts';

/** What a note can be on. */
export type Noteable =
  | { projectId: number; type: 'Commit'; commitId: string }
  | { projectId: number; type: 'MergeRequest' | 'Issue' | 'Snippet'; id: number; iid: number | null };

/** A noteable that is a row of its own. */
export type NumberedNoteable = Exclude<Noteable, { type: 'Commit' }>;

/** The columns of a note that say what it is on. */
export function noteableColumns(noteable: Noteable) {
  const onCommit = noteable.type === 'Commit';
  return {
    project_id: noteable.projectId,
    noteable_type: noteable.type,
    noteable_id: onCommit ? null : noteable.id,
    noteable_iid: onCommit ? null : noteable.iid,
    commit_id: onCommit ? noteable.commitId : null,
  };
}

/** The same the other way round. */
export function noteableOf(note: NoteRow): Noteable {
  const { project_id: projectId, noteable_type: type, noteable_id: id, noteable_iid: iid } = note;
  if (type === 'Commit') return { projectId, type, commitId: note.commit_id ?? '' };
  return { projectId, type, id: id ?? 0, iid };
}
