import type { Core, CoreApi, Room } from '../../core/core.ts';
import type { InGroup, InProject } from '../../core/guards.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { changeVariable, createVariable, removeVariable } from './change.ts';
import { CiVariable, presentVariable } from './entity.ts';
import { fields } from './fields.ts';
import { instanceVariableRoutes } from './instance-routes.ts';
import { countVariables, listVariables, type VariableOwner, variablesNamed } from './store.ts';
import type { CiVariableRow } from './tables.ts';

/** Variables of projects, of groups and of the whole service. */
export function variableRoutes(api: CoreApi, core: Core): void {
  const room = api.room('variables');
  ownedRoutes(room, core, {
    path: '/projects/:id/variables',
    of: 'a project',
    guard: core.guards.project('admin_build'),
    ownerOf: ({ project }: InProject) => ({ projectId: project.id, groupId: null }),
  });
  ownedRoutes(room, core, {
    path: '/groups/:id/variables',
    of: 'a group',
    guard: core.guards.group('admin_group'),
    ownerOf: ({ group }: InGroup) => ({ projectId: null, groupId: group.id }),
  });
  instanceVariableRoutes(room, core);
}

type ProjectGuard = ReturnType<Core['guards']['project']>;

interface Place<Guarded> {
  path: string;
  of: string;
  guard: (call: Parameters<ProjectGuard>[0]) => Promise<Guarded>;
  ownerOf: (guarded: Guarded) => VariableOwner;
}

const scopeFilter = optional(
  param.hash(params({ environment_scope: optional(param.string()) }), {
    description: 'Which of several variables of this key: `filter[environment_scope]`.',
  }),
);
const one = { id: param.string(), key: param.string(), filter: scopeFilter };

function ownedRoutes<Guarded>(room: Room, core: Core, { path, of, guard, ownerOf }: Place<Guarded>): void {
  room.get(path, {
    summary: `List the CI/CD variables of ${of}`,
    params: params({ id: param.string(), ...pageParams }),
    responses: { 200: Type.Array(CiVariable) },
    guard,
    handler: async (call) => {
      const owner = ownerOf(call.guarded);
      const page = pageOf(call.params);
      const rows = await listVariables(core.db, owner, { limit: page.perPage, offset: page.offset });
      const total = await countVariables(core.db, owner);
      return pageAnswer(call, page, rows.map(presentVariable), { total });
    },
  });

  room.get(`${path}/:key`, {
    summary: `Read a CI/CD variable of ${of}`,
    params: params(one),
    responses: { 200: CiVariable },
    guard,
    handler: async ({ guarded, params: asked }) =>
      presentVariable(await demandVariable(core.db, ownerOf(guarded), asked)),
  });

  room.post(path, {
    summary: `Set a CI/CD variable of ${of}`,
    params: params({
      id: param.string(),
      key: param.string(),
      value: param.string(),
      ...fields,
      masked_and_hidden: optional(param.boolean({ description: 'Nobody can read the value again.' })),
      environment_scope: optional(param.string()),
    }),
    responses: { 201: CiVariable },
    guard,
    handler: async ({ guarded, params: input }) =>
      presentVariable(await createVariable(core, ownerOf(guarded), input)),
  });

  room.put(`${path}/:key`, {
    summary: `Change a CI/CD variable of ${of}`,
    params: params({
      ...one,
      value: optional(param.string()),
      ...fields,
      environment_scope: optional(param.string()),
    }),
    responses: { 200: CiVariable },
    guard,
    handler: async ({ guarded, params: { key, filter, ...input } }) => {
      const row = await demandVariable(core.db, ownerOf(guarded), { key, filter });
      return presentVariable(await changeVariable(core, row, input));
    },
  });

  room.delete(`${path}/:key`, {
    summary: `Delete a CI/CD variable of ${of}`,
    params: params(one),
    responses: { 204: null },
    guard,
    handler: async ({ guarded, params: asked, headers }) => {
      const row = await demandVariable(core.db, ownerOf(guarded), asked);
      demandUnmodified(headers, row.updated_at);
      await removeVariable(core, row);
    },
  });
}

interface Asked {
  key: string;
  filter?: { environment_scope?: string | null | undefined } | null | undefined;
}

/** Throws 404 when there is none, 409 when several have this key and nothing says which. */
async function demandVariable(
  db: Queryable,
  owner: VariableOwner,
  { key, filter }: Asked,
): Promise<CiVariableRow> {
  const rows = await variablesNamed(db, owner, key);
  const scope = filter?.environment_scope;
  const fitting = scope == null ? rows : rows.filter((row) => row.environment_scope === scope);
  const [row] = fitting;
  if (!row) throw fail.notFound('Variable');
  if (fitting.length > 1) {
    throw fail.conflict(
      "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
    );
  }
  return row;
}
