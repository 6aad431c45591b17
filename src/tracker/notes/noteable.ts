/** What a note can be on. */
export type Noteable =
  | { projectId: number; type: 'Commit'; commitId: string }
  | { projectId: number; type: 'MergeRequest' | 'Issue' | 'Snippet'; id: number; iid: number | null };

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
