import type { NoticeBase } from '../../notice.ts';

/** Where a mail stands among others: what its reader's program makes threads of. Ids without angle brackets. */
export interface ThreadPlace {
  messageId: string;
  inReplyTo: string | null;
  references: string[];
}

/**
 * As GitLab names them: an issue or merge request by its number in the database begins a thread, whatever else happens to it
 * answers. Pipelines and projects make none.
 */
export function threadPlace(notice: NoticeBase, host: string): ThreadPlace {
  const root = rootOf(notice, host);
  if (root === null) return { messageId: actId(notice, host), inReplyTo: null, references: [] };
  if (begins(notice)) return { messageId: root, inReplyTo: null, references: [] };
  const earlier = notice.earlierNoteIds.map((id) => noteMessageId(id, host));
  const references = [root, ...earlier];
  const messageId = notice.noteId === null ? actId(notice, host) : noteMessageId(notice.noteId, host);
  return { messageId, inReplyTo: references.at(-1)!, references };
}

export const begins = ({ kind }: Pick<NoticeBase, 'kind'>): boolean =>
  kind === 'new_issue' || kind === 'new_merge_request';

const noteMessageId = (id: number, host: string) => `note_${id}@${host}`;

/** Stable where GitLab's is random: who gets it twice after a crash can tell. */
const actId = ({ kind, eventId, at }: NoticeBase, host: string) =>
  `${kind}.${eventId}.${at.toString(36)}@${host}`;

function rootOf({ thing, project }: NoticeBase, host: string): string | null {
  switch (thing.type) {
    case 'Issue':
      return `issue_${thing.id}@${host}`;
    case 'MergeRequest':
      return `merge_request_${thing.id}@${host}`;
    case 'Snippet':
      return `snippet_${thing.id}@${host}`;
    case 'Commit':
      return `commit_${project?.id ?? 0}_${thing.sha}@${host}`;
    default:
      return null;
  }
}

/** As header lines. The newest hundred: a header has its bound, and programs look at the last ones. */
export function threadHeaders({ inReplyTo, references }: ThreadPlace): Record<string, string> {
  if (inReplyTo === null) return {};
  const kept = references.length > 101 ? [references[0]!, ...references.slice(-100)] : references;
  return { 'In-Reply-To': `<${inReplyTo}>`, References: kept.map((id) => `<${id}>`).join(' ') };
}
