import { diffCommit } from '../git/diff.ts';
import { EMPTY_TREE, readCommit } from '../git/objects.ts';
import { hasLine } from '../tracker/notes/positions/diff-lines.ts';
import { type AskedPosition, invalidPlace, placeInDiff } from '../tracker/notes/positions/place-in-diff.ts';
import type { NotePosition } from '../tracker/notes/positions/position.ts';
import type { FoundCommit } from './find.ts';

/** Where in a commit's diff a note can stand. */

export interface CommentPlace {
  /** As the file is called after the commit. */
  path: string;
  line: number;
  lineType: 'new' | 'old';
}

/**
 * The place of a comment: a line that the commit added (`new`) or removed (`old`). Null for every other line, whatever is
 * wrong with it: the comment then stands under the commit as a whole.
 */
export async function commentPosition(
  found: FoundCommit,
  { path, line, lineType }: CommentPlace,
  signal: AbortSignal,
): Promise<NotePosition | null> {
  const wanted = lineType === 'new' ? { oldLine: null, newLine: line } : { oldLine: line, newLine: null };
  const { files } = await diffCommit(found.repo, found.oid, signal);
  const file = files.find(({ newPath }) => newPath === path);
  if (!file || !hasLine(file.diff, wanted)) return null;
  return {
    ...(await diffEnds(found, signal)),
    old_path: file.oldPath,
    new_path: file.newPath,
    position_type: 'text',
    old_line: wanted.oldLine,
    new_line: wanted.newLine,
    line_range: null,
  };
}

/** The place of a thread, as the client gives it in full. Throws 400 where the commit's diff has no such line or file. */
export async function threadPosition(
  found: FoundCommit,
  asked: AskedPosition,
  signal: AbortSignal,
): Promise<NotePosition> {
  const ends = await diffEnds(found, signal);
  if (asked.head_sha !== ends.head_sha || asked.base_sha !== ends.base_sha) {
    throw invalidPlace('position', 'is invalid');
  }
  const { files } = await diffCommit(found.repo, found.oid, signal);
  return placeInDiff(files, ends, asked);
}

/** From the first parent, or from nothing, to the commit. */
async function diffEnds({ repo, oid }: FoundCommit, signal: AbortSignal) {
  const commit = await readCommit(repo, oid, signal);
  const base = commit?.parents[0] ?? EMPTY_TREE;
  return { base_sha: base, start_sha: base, head_sha: oid };
}
