import type { TreeAction } from '../../git/tree-edit.ts';
import { fail } from '../../platform/errors.ts';

/** One change of a commit, as the API names things. */
export interface CommitAction {
  action: 'create' | 'update' | 'move' | 'delete' | 'chmod';
  filePath: string;
  /** Where a moved file is now. */
  previousPath?: string | null | undefined;
  /** Left out: an empty file on `create`, the same bytes on `move`. */
  content?: string | Buffer | null | undefined;
  encoding?: 'text' | 'base64' | null | undefined;
  /** The caller's last known commit of the file: a later one is a conflict. Not looked at on `create`. */
  lastCommitId?: string | null | undefined;
  executeFilemode?: boolean | null | undefined;
}

/** Decodes contents; throws 400 for what is no base64. */
export function treeActions(actions: readonly CommitAction[]): TreeAction[] {
  return actions.map(treeAction);
}

function treeAction(action: CommitAction): TreeAction {
  const path = action.filePath;
  switch (action.action) {
    case 'create': {
      const executable = action.executeFilemode === true;
      return { action: 'create', path, content: contentOf(action) ?? Buffer.alloc(0), executable };
    }
    case 'update':
      return { action: 'update', path, content: contentOf(action) ?? Buffer.alloc(0) };
    case 'move':
      return { action: 'move', path, previousPath: action.previousPath ?? '', content: contentOf(action) };
    case 'delete':
      return { action: 'delete', path };
    case 'chmod':
      return { action: 'chmod', path, executable: action.executeFilemode === true };
  }
}

function contentOf({ content, encoding }: CommitAction): Buffer | undefined {
  if (content === null || content === undefined) return undefined;
  if (typeof content !== 'string') return content;
  return encoding === 'base64' ? decodeBase64(content) : Buffer.from(content, 'utf8');
}

/** Node skips what is no base64, which would store another file than the one that was sent: the length tells. */
function decodeBase64(text: string): Buffer {
  const compact = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0;
  const digits = compact.length - padding;
  const bytes = Buffer.from(compact, 'base64');
  const whole = digits % 4 !== 1 && (padding === 0 || compact.length % 4 === 0);
  if (!whole || bytes.length !== Math.floor((digits * 3) / 4)) {
    throw fail.refused('The content is not valid base64');
  }
  return bytes;
}
