import type { Core, Room } from '../core/core.ts';
import { DiffEntity, presentDiff } from '../core/repository/diff-entity.ts';
import { diffCommit } from '../git/diff.ts';
import { pageAnswer, pageOf, pageParams } from '../platform/http/pagination.ts';
import { param, params, withDefault } from '../platform/http/params.ts';
import { Type } from '../platform/http/schema.ts';
import { commitPath, findCommit } from './find.ts';
import { readsPages } from './guards.ts';
import { type PageCache, pageAnswerOf, writePage } from './page-cache.ts';

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
      return pageAnswerOf(written, call, () =>
        pageAnswer(call, page, written.json, { total: written.count }),
      );
    },
  });
}
