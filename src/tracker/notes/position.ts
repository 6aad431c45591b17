import { type Static, Type } from 'typebox';
import { nullable } from '../../platform/http/params.ts';

/** Where in a diff a note stands: commits, paths, and the line on one side or (an unchanged line) on both. */
export const NotePosition = Type.Object(
  {
    base_sha: Type.String(),
    start_sha: Type.String(),
    head_sha: Type.String(),
    old_path: Type.String(),
    new_path: Type.String(),
    position_type: Type.String(),
    old_line: nullable(Type.Integer()),
    new_line: nullable(Type.Integer()),
    line_range: nullable(Type.Object({}, { additionalProperties: true })),
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
  if (new_line !== null) return { path: position.new_path, line: new_line, line_type: 'new' };
  if (old_line !== null) return { path: position.old_path, line: old_line, line_type: 'old' };
  return { ...NOWHERE, path: position.new_path };
}
