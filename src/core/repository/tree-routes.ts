import { fail } from '../../platform/errors.ts';
import {
  keysetAnswer,
  keysetParams,
  pageAnswer,
  pageOf,
  pageParams,
} from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, Room } from '../core.ts';
import { findCommit, projectPath } from './reading.ts';
import { listTree, type TreeItem } from './tree.ts';

export const TreeEntryEntity = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.String(),
    path: Type.String(),
    mode: Type.String(),
  },
  { $id: 'TreeEntry' },
);

const presentItem = ({ entry, path }: TreeItem) => ({
  id: entry.oid,
  name: entry.name,
  type: entry.type,
  path,
  mode: entry.mode,
});

/** `/projects/:id/repository/tree` */
export function treeRoutes(room: Room, core: Core): void {
  room.get('/projects/:id/repository/tree', {
    summary: 'Files and folders of a commit',
    params: params({
      ...projectPath,
      ref: optional(
        param.string({ description: 'Branch, tag or commit; the default branch when left out.' }),
      ),
      path: optional(param.string({ description: 'A folder; the root when left out.' })),
      recursive: withDefault(param.boolean(), false),
      page_token: optional(param.string({ description: 'Keyset pages: the entry after which to go on.' })),
      ...keysetParams,
      ...pageParams,
    }),
    responses: { 200: Type.Array(TreeEntryEntity) },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    handler: async (call) => {
      const { guarded, params, signal } = call;
      const repo = core.repositoryOf(guarded.project);
      const revision = params.ref || guarded.project.default_branch || 'HEAD';
      const commit = await findCommit(repo, revision, signal);
      if (!commit) throw fail.notFound('Tree');
      const { path, recursive } = params;
      const items = await listTree(repo, { commit: commit.id, path: path ?? '', recursive, signal });
      const page = pageOf(params);
      if (params.pagination === 'keyset') {
        const from = params.page_token ? indexAfter(items, params.page_token) : 0;
        const to = from + page.perPage;
        const next = to < items.length ? { page_token: tokenOf(items, to - 1) } : null;
        return keysetAnswer(call, items.slice(from, to).map(presentItem), next);
      }
      const some = items.slice(page.offset, page.offset + page.perPage);
      return pageAnswer(call, page, some.map(presentItem), { total: items.length });
    },
  });
}

/** The id of the entry, as on GitLab, and which of the entries with this id: two files with the same contents share one. */
function tokenOf(items: readonly TreeItem[], index: number): string {
  const oid = items[index]!.entry.oid;
  const before = items.slice(0, index).filter(({ entry }) => entry.oid === oid).length;
  return before === 0 ? oid : `${oid}.${before}`;
}

function indexAfter(items: readonly TreeItem[], token: string): number {
  const [oid, before = '0'] = token.split('.');
  let left = Number(before);
  const found = items.findIndex(({ entry }) => entry.oid === oid && left-- === 0);
  if (found < 0) throw fail.params('page_token is invalid');
  return found + 1;
}
