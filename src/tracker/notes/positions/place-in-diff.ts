import { hash } from 'node:crypto';
import type { DiffFile } from '../../../git/diff.ts';
import { fail } from '../../../platform/errors.ts';
import { optional, param, params, withDefault } from '../../../platform/http/params.ts';
import type { Static } from '../../../platform/http/schema.ts';
import { type DiffLine, diffLines, findLine, hasLine } from './diff-lines.ts';
import type { NotePosition } from './position.ts';

/** A place in a diff as a client names it, held against the diff. */

const rangeEnd = optional(
  param.hash(
    params({
      line_code: param.string({ description: '`<SHA-1 of the path>_<old line>_<new line>`' }),
      type: optional(param.oneOf(['new', 'old'], { description: '`new` for an added line.' })),
    }),
  ),
);

export const positionParams = params({
  base_sha: param.string(),
  start_sha: param.string(),
  head_sha: param.string(),
  position_type: withDefault(param.oneOf(['text', 'image', 'file']), 'text'),
  old_path: optional(param.string()),
  new_path: optional(param.string()),
  old_line: optional(param.integer()),
  new_line: optional(param.integer()),
  line_range: optional(param.hash(params({ start: rangeEnd, end: rangeEnd }))),
  width: optional(param.integer()),
  height: optional(param.integer()),
  x: optional(param.number()),
  y: optional(param.number()),
});

export type AskedPosition = Static<typeof positionParams>;

type DiffEnds = Pick<NotePosition, 'base_sha' | 'start_sha' | 'head_sha'>;

/** The place that is asked for. Throws 400 where the diff has no such file or line. */
export function placeInDiff(files: readonly DiffFile[], ends: DiffEnds, asked: AskedPosition): NotePosition {
  const file = files.find(
    ({ newPath, oldPath }) =>
      newPath === (asked.new_path ?? newPath) && oldPath === (asked.old_path ?? oldPath),
  );
  if (!file || !(asked.new_path ?? asked.old_path)) throw invalidPlace('position', 'is invalid');
  const { base_sha, start_sha, head_sha } = ends;
  const where = { base_sha, start_sha, head_sha, old_path: file.oldPath, new_path: file.newPath };
  switch (asked.position_type) {
    case 'text':
      return { ...where, position_type: 'text', ...lineIn(file, asked) };
    case 'image':
      return { ...where, position_type: 'image', ...pointIn(asked) };
    case 'file':
      return { ...where, position_type: 'file', old_line: null, new_line: null, line_range: null };
  }
}

/** How GitLab names the line of a place: `<SHA-1 of the path>_<old line>_<new line>`. Null for images and whole files. */
export function lineCodeOf(files: readonly DiffFile[], position: NotePosition): string | null {
  const file = files.find(({ newPath }) => newPath === position.new_path);
  const { old_line: oldLine = null, new_line: newLine = null } = position;
  const line = file && findLine(file.diff, { oldLine, newLine });
  return file && line ? `${pathHash(file.newPath)}_${line.oldAt}_${line.newAt}` : null;
}

/** 400 in the form that GitLab gives a note that does not validate. */
export const invalidPlace = (field: string, ...texts: string[]) =>
  fail.badRequest(`Note {${field}: ${JSON.stringify(texts)}}`);

function lineIn(file: DiffFile, { old_line, new_line, line_range }: AskedPosition) {
  const line = { oldLine: old_line ?? null, newLine: new_line ?? null };
  if (!hasLine(file.diff, line)) {
    throw invalidPlace('line_code', "can't be blank", 'must be a valid line code');
  }
  return { old_line: line.oldLine, new_line: line.newLine, line_range: rangeIn(file, line_range) };
}

function rangeIn(file: DiffFile, range: AskedPosition['line_range']): NotePosition['line_range'] {
  if (!range?.start && !range?.end) return null;
  const lines = [...diffLines(file.diff)];
  return Object.fromEntries(
    Object.entries(range).map(([end, asked]) => [end, asked && endOfRange(file, lines, asked)]),
  );
}

type RangeEnd = NonNullable<NonNullable<AskedPosition['line_range']>['start']>;

const LINE_CODE = /^([0-9a-f]{40})_(\d{0,9})_(\d{0,9})$/;

/** A line code has a number for both sides, the one on the side without the line being that of its neighbour: only the other counts. */
function endOfRange(file: DiffFile, lines: DiffLine[], { line_code, type }: RangeEnd) {
  const [, path, old, now] = LINE_CODE.exec(line_code) ?? [];
  const named = path === pathHash(file.newPath) || path === pathHash(file.oldPath);
  const line = lines.find(
    ({ oldLine, newLine }) =>
      (type !== 'old' && newLine !== null && newLine === Number(now)) ||
      (type !== 'new' && oldLine !== null && oldLine === Number(old)),
  );
  if (!named || !line) throw invalidPlace('line_range', 'is invalid');
  return { line_code, type: type ?? null, old_line: line.oldLine, new_line: line.newLine };
}

const pathHash = (path: string) => hash('sha1', path, 'hex');

/** Larger than any screen shows. */
const MAX_SIDE = 1_000_000;

function pointIn({ width, height, x, y }: AskedPosition) {
  if (!within(width, 1, MAX_SIDE) || !within(height, 1, MAX_SIDE))
    throw invalidPlace('position', 'is invalid');
  if (!within(x, 0, width) || !within(y, 0, height)) throw invalidPlace('position', 'is invalid');
  return { width, height, x, y };
}

const within = (value: number | null | undefined, from: number, to: number): value is number =>
  value != null && value >= from && value <= to;
