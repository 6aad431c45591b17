import type { DiffFile } from '../../git/diff.ts';
import { type Static, Type } from '../../platform/http/schema.ts';

export const DiffEntity = Type.Object(
  {
    diff: Type.String(),
    collapsed: Type.Boolean(),
    too_large: Type.Boolean(),
    new_path: Type.String(),
    old_path: Type.String(),
    a_mode: Type.String(),
    b_mode: Type.String(),
    new_file: Type.Boolean(),
    renamed_file: Type.Boolean(),
    deleted_file: Type.Boolean(),
    generated_file: Type.Boolean(),
  },
  { $id: 'Diff' },
);

/** One changed file; `unidiff` puts the `---` and `+++` lines before the patch. */
export function presentDiff(file: DiffFile, unidiff: boolean): Static<typeof DiffEntity> {
  return {
    diff: unidiff ? withHeader(file) : file.diff,
    collapsed: file.collapsed,
    too_large: file.tooLarge,
    new_path: file.newPath,
    old_path: file.oldPath,
    a_mode: file.aMode,
    b_mode: file.bMode,
    new_file: file.newFile,
    renamed_file: file.renamedFile,
    deleted_file: file.deletedFile,
    // GitLab's value where recognising generated files is off.
    generated_file: false,
  };
}

function withHeader(file: DiffFile): string {
  if (file.diff === '' || file.binary) return file.diff;
  const from = file.newFile ? '/dev/null' : `a/${file.oldPath}`;
  const to = file.deletedFile ? '/dev/null' : `b/${file.newPath}`;
  return `--- ${from}\n+++ ${to}\n${file.diff}`;
}
