import type { Core, Room } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { changeVariable, createVariable, removeVariable } from './change.ts';
import { InstanceVariable, presentInstanceVariable } from './entity.ts';
import { fields } from './fields.ts';
import { countVariables, listVariables, variablesNamed } from './store.ts';

const SERVICE = { projectId: null, groupId: null };
const PATH = '/admin/ci/variables';

/** Variables for the jobs of all projects: for administrators. */
export function instanceVariableRoutes(room: Room, core: Core): void {
  const guard = core.guards.admin;
  const demand = async (key: string) => {
    const [row] = await variablesNamed(core.db, SERVICE, key);
    if (!row) throw fail.notFound('Variable');
    return row;
  };

  room.get(PATH, {
    summary: 'List the CI/CD variables of the whole service',
    params: params(pageParams),
    responses: { 200: Type.Array(InstanceVariable) },
    guard,
    handler: async (call) => {
      const page = pageOf(call.params);
      const rows = await listVariables(core.db, SERVICE, { limit: page.perPage, offset: page.offset });
      const total = await countVariables(core.db, SERVICE);
      return pageAnswer(call, page, rows.map(presentInstanceVariable), { total });
    },
  });

  room.get(`${PATH}/:key`, {
    summary: 'Read a CI/CD variable of the whole service',
    params: params({ key: param.string() }),
    responses: { 200: InstanceVariable },
    guard,
    handler: async ({ params: { key } }) => presentInstanceVariable(await demand(key)),
  });

  room.post(PATH, {
    summary: 'Set a CI/CD variable for the whole service',
    params: params({ key: param.string(), value: param.string(), ...fields }),
    responses: { 201: InstanceVariable },
    guard,
    handler: async ({ params: input }) => presentInstanceVariable(await createVariable(core, SERVICE, input)),
  });

  room.put(`${PATH}/:key`, {
    summary: 'Change a CI/CD variable of the whole service',
    params: params({ key: param.string(), value: optional(param.string()), ...fields }),
    responses: { 200: InstanceVariable },
    guard,
    handler: async ({ params: { key, ...input } }) =>
      presentInstanceVariable(await changeVariable(core, await demand(key), input)),
  });

  room.delete(`${PATH}/:key`, {
    summary: 'Delete a CI/CD variable of the whole service',
    params: params({ key: param.string() }),
    responses: { 204: null },
    guard,
    handler: async ({ params: { key }, headers }) => {
      const row = await demand(key);
      demandUnmodified(headers, row.updated_at);
      await removeVariable(core, row);
    },
  });
}
