import { Type } from 'typebox';
import type { DiffFile } from '../../git/diff.ts';

export const MergeRequestDiff = Type.Object(
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
  { $id: 'MergeRequestDiff' },
);

export function presentDiff(file: DiffFile, unified: boolean) {
  return {
    diff: unified ? withHeader(file) : file.diff,
    collapsed: file.collapsed,
    too_large: file.tooLarge,
    new_path: file.newPath,
    old_path: file.oldPath,
    a_mode: file.aMode,
    b_mode: file.bMode,
    new_file: file.newFile,
    renamed_file: file.renamedFile,
    deleted_file: file.deletedFile,
    generated_file: false, // GitLab's value where recognising generated files is off
  };
}

function withHeader(file: DiffFile): string {
  if (file.diff === '' || file.binary) return file.diff;
  const from = file.newFile ? '/dev/null' : `a/${file.oldPath}`;
  const to = file.deletedFile ? '/dev/null' : `b/${file.newPath}`;
  return `--- ${from}\n+++ ${to}\n${file.diff}`;
}
