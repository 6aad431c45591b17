import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';
import type { Core, CoreApi } from '../core.ts';
import type { Namespace as NamespaceRow } from '../tables.ts';
import { NamespaceBasic, presentNamespaceBasic } from './entities.ts';
import { findNamespace } from './find.ts';
import { countMembersWithin, countNamespaces, listNamespaces, type NamespaceFilter } from './list-store.ts';
import { isPathTaken, pathsBeside } from './store.ts';

const Namespace = Type.Object(
  {
    ...NamespaceBasic.properties,
    /** Of groups, for those who may manage them. */
    members_count_with_descendants: Type.Optional(Type.Integer()),
  },
  { $id: 'Namespace' },
);

/** Personal namespaces and groups as places for projects. */
export function namespaceRoutes(api: CoreApi, core: Core): void {
  const room = api.room('namespaces');

  room.get('/namespaces', {
    summary: 'The caller’s own namespace and the groups he belongs to; all of them for administrators',
    params: params({
      search: optional(param.string()),
      owned_only: withDefault(param.boolean(), false),
      top_level_only: withDefault(param.boolean(), false),
      full_path_search: withDefault(param.boolean(), false),
      ...pageParams,
    }),
    responses: { 200: Type.Array(Namespace) },
    handler: async (call) => {
      const page = pageOf(call.params);
      const filter: NamespaceFilter = {
        viewer: core.access.viewer(call.caller),
        search: call.params.search || undefined,
        ownedOnly: call.params.owned_only,
        topLevelOnly: call.params.top_level_only,
        fullPathSearch: call.params.full_path_search,
      };
      const rows = await listNamespaces(core.db, filter, { limit: page.perPage, offset: page.offset });
      const total = await countNamespaces(core.db, filter);
      const shown = await Promise.all(rows.map((row) => present(core, call.caller, row)));
      return pageAnswer(call, page, shown, { total });
    },
  });

  room.get('/namespaces/:id', {
    summary: 'One namespace',
    params: params({ id: param.string() }),
    responses: { 200: Namespace },
    handler: async ({ caller, params }) => {
      const found = await findNamespace(core.db, params.id);
      if (!found || !(await maySee(core, caller, found))) throw fail.notFound('Namespace');
      return present(core, caller, found);
    },
  });

  room.get('/namespaces/:id/exists', {
    summary: 'Whether a path is taken, with others that are free',
    params: params({ id: param.string(), parent_id: optional(param.integer()) }),
    responses: { 200: Type.Object({ exists: Type.Boolean(), suggests: Type.Array(Type.String()) }) },
    handler: async ({ params: { id: path, parent_id: parentId } }) => {
      const parent = parentId ? await findNamespace(core.db, String(parentId)) : undefined;
      const base = parent ? `${parent.full_path}/${path}` : path;
      const exists = await isPathTaken(core.db, base);
      return { exists, suggests: exists ? [await freePath(path, base)] : [] };
    },
  });

  /** The first number behind the name that nobody has taken. */
  async function freePath(path: string, base: string): Promise<string> {
    const taken = new Set(await pathsBeside(core.db, base));
    let number = 1;
    while (taken.has(`${base}${number}`.toLowerCase())) number++;
    return `${path}${number}`;
  }
}

async function maySee(core: Core, caller: Caller, namespace: NamespaceRow): Promise<boolean> {
  if (namespace.kind === 'user') return caller.admin || namespace.owner_id === caller.user.id;
  return (await core.access.group(caller, namespace)).visible;
}

async function present(core: Core, caller: Caller, namespace: NamespaceRow) {
  const entity = presentNamespaceBasic(namespace, core.baseUrl());
  if (namespace.kind === 'user') return entity;
  const access = await core.access.group(caller, namespace);
  if (!access.can('admin_group')) return entity;
  const members = await countMembersWithin(core.db, namespace.id, core.access.today());
  return { ...entity, members_count_with_descendants: members };
}
