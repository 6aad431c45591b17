import { Type } from 'typebox';
import type { Core } from '../core/core.ts';
import { type DiffFile, diffCommit } from '../git/diff.ts';
import { pageAnswer, pageOf, pageParams } from '../platform/http/pagination.ts';
import { param, params, withDefault } from '../platform/http/params.ts';
import { commitPath, findCommit, type Room } from './find.ts';
import { readsPages } from './guards.ts';
import { type PageCache, writePage } from './page-cache.ts';

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

/** `GET /projects/:id/repository/commits/:sha/diff` */
export function diffRoute(room: Room, core: Core, pages: PageCache): void {
  room.get('/projects/:id/repository/commits/:sha/diff', {
    summary: 'Show what a commit changed against its first parent',
    params: params({
      ...commitPath,
      unidiff: withDefault(param.boolean({ description: 'Begins each diff with `---` and `+++`.' }), false),
      ...pageParams,
    }),
    responses: { 200: Type.Array(DiffEntity) },
    guard: readsPages(core),
    async handler(call) {
      const { repo, oid } = await findCommit(core, call.guarded.project, call);
      const { unidiff } = call.params;
      const page = pageOf(call.params);
      const key = `diff ${oid} ${unidiff} ${page.offset} ${page.perPage}`;
      const written = await pages.get(repo, key, call, async (signal) => {
        const { files } = await diffCommit(repo, oid, signal);
        const slice = files.slice(page.offset, page.offset + page.perPage);
        return writePage(
          slice.map((file) => presentDiff(file, unidiff)),
          files.length,
        );
      });
      return pageAnswer(call, page, written.json, { total: written.count });
    },
  });
}

export function presentDiff(file: DiffFile, unidiff: boolean) {
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
