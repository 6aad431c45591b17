import type { Static } from 'typebox';
import { diffCommit } from '../git/diff.ts';
import { EMPTY_TREE, readCommit } from '../git/objects.ts';
import { fail } from '../platform/errors.ts';
import { optional, param, params, withDefault } from '../platform/http/params.ts';
import type { NotePosition } from '../tracker/notes/position.ts';
import { hasLine } from './diff-lines.ts';
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

export const positionParams = params({
  base_sha: param.string(),
  start_sha: param.string(),
  head_sha: param.string(),
  position_type: withDefault(param.oneOf(['text', 'image', 'file']), 'text'),
  old_path: optional(param.string()),
  new_path: optional(param.string()),
  old_line: optional(param.integer()),
  new_line: optional(param.integer()),
  line_range: optional(param.anyHash()),
});

/** The place of a thread, as the client gives it in full. Throws 400 where the commit's diff has no such line or file. */
export async function threadPosition(
  found: FoundCommit,
  asked: Static<typeof positionParams>,
  signal: AbortSignal,
): Promise<NotePosition> {
  const ends = await diffEnds(found, signal);
  const stands = asked.head_sha === ends.head_sha && asked.base_sha === ends.base_sha;
  const { files } = await diffCommit(found.repo, found.oid, signal);
  const file = files.find(
    ({ newPath, oldPath }) =>
      newPath === (asked.new_path ?? newPath) && oldPath === (asked.old_path ?? oldPath),
  );
  if (!stands || !file || !(asked.new_path ?? asked.old_path)) throw invalid('position', 'is invalid');
  const lines = { oldLine: asked.old_line ?? null, newLine: asked.new_line ?? null };
  if (asked.position_type === 'text' && !hasLine(file.diff, lines)) {
    throw invalid('line_code', "can't be blank", 'must be a valid line code');
  }
  return {
    ...ends,
    old_path: file.oldPath,
    new_path: file.newPath,
    position_type: asked.position_type,
    old_line: lines.oldLine,
    new_line: lines.newLine,
    line_range: asked.line_range ?? null,
  };
}

const invalid = (field: string, ...texts: string[]) =>
  fail.badRequest(`Note {${field}: ${JSON.stringify(texts)}}`);

/** From the first parent, or from nothing, to the commit. */
async function diffEnds({ repo, oid }: FoundCommit, signal: AbortSignal) {
  const commit = await readCommit(repo, oid, signal);
  const base = commit?.parents[0] ?? EMPTY_TREE;
  return { base_sha: base, start_sha: base, head_sha: oid };
}
