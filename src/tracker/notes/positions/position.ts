import { nullable } from '../../../platform/http/params.ts';
import { type Static, Type } from '../../../platform/http/schema.ts';

const whole = Type.Optional(Type.Integer());
const line = Type.Optional(nullable(Type.Integer()));

/**
 * Where in a diff a note stands: commits, paths, and the line on one side or (an unchanged line) on both; in an image, a point
 * and the size of the image that it was measured in.
 */
export const NotePosition = Type.Object(
  {
    base_sha: Type.String(),
    start_sha: Type.String(),
    head_sha: Type.String(),
    old_path: Type.String(),
    new_path: Type.String(),
    position_type: Type.String(),
    old_line: line,
    new_line: line,
    line_range: Type.Optional(nullable(Type.Object({}, { additionalProperties: true }))),
    width: whole,
    height: whole,
    x: Type.Optional(Type.Number()),
    y: Type.Optional(Type.Number()),
  },
  { $id: 'NotePosition' },
);

export type NotePosition = Static<typeof NotePosition>;

export interface Placement {
  path: string | null;
  line: number | null;
  line_type: 'new' | 'old' | null;
}

const NOWHERE: Placement = { path: null, line: null, line_type: null };

/** The shorter form that commit comments show. */
export function placementOf(position: NotePosition | null): Placement {
  if (position === null) return NOWHERE;
  const { new_line, old_line } = position;
  if (new_line != null) return { path: position.new_path, line: new_line, line_type: 'new' };
  if (old_line != null) return { path: position.old_path, line: old_line, line_type: 'old' };
  return { ...NOWHERE, path: position.new_path };
}
