import type { Core, CoreApi } from '../../core/core.ts';
import { isoTime, isoTimeOrNull, presentUserBasic, UserBasic } from '../../core/entities.ts';
import type { User } from '../../core/tables.ts';
import { newToken } from '../../core/tokens/secret.ts';
import { findUser, findUsersByIds } from '../../core/users/store.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { nullable, optional, param, params, timestamp } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import {
  countTriggers,
  deleteTrigger,
  findTrigger,
  insertTrigger,
  listTriggers,
  updateTrigger,
} from './store.ts';
import type { TriggerRow } from './tables.ts';
import { shortToken } from './token.ts';

const Trigger = Type.Object(
  {
    id: Type.Integer(),
    token: Type.String(),
    description: Type.String(),
    created_at: timestamp(),
    updated_at: timestamp(),
    last_used: nullable(timestamp()),
    expires_at: nullable(timestamp()),
    owner: nullable(UserBasic),
  },
  { $id: 'PipelineTrigger' },
);

const id = param.string({ description: 'Number or URL-encoded path of the project.' });
const one = { id, trigger_id: param.integer() };

/** Tokens by which other systems begin pipelines. Only its owner sees the whole of one. */
export function triggerRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('triggers');
  const { db, database, clock } = core;
  const guard = core.guards.project('admin_build');
  const show = async (row: TriggerRow, viewer: User) => {
    const owner = await findUser(db, row.owner_id);
    return present(row, { owner, viewer, baseUrl: core.baseUrl() });
  };
  const demand = async (projectId: number, triggerId: number) => {
    const row = await findTrigger(db, projectId, triggerId);
    if (!row) throw fail.notFound('Trigger');
    return row;
  };

  routes.get('/projects/:id/triggers', {
    summary: 'List the trigger tokens of a project',
    params: params({ id, ...pageParams }),
    responses: { 200: Type.Array(Trigger) },
    guard,
    handler: async (call) => {
      const { project } = call.guarded;
      const page = pageOf(call.params);
      const rows = await listTriggers(db, project.id, { limit: page.perPage, offset: page.offset });
      const owners = await findUsersByIds(
        db,
        rows.map((row) => row.owner_id),
      );
      const place = { viewer: call.caller.user, baseUrl: call.baseUrl };
      const body = rows.map((row) => present(row, { ...place, owner: owners.get(row.owner_id) }));
      return pageAnswer(call, page, body, { total: await countTriggers(db, project.id) });
    },
  });

  routes.get('/projects/:id/triggers/:trigger_id', {
    summary: 'Read a trigger token',
    params: params(one),
    responses: { 200: Trigger },
    guard,
    handler: async ({ guarded: { project }, params: { trigger_id }, caller }) =>
      show(await demand(project.id, trigger_id), caller.user),
  });

  routes.post('/projects/:id/triggers', {
    summary: 'Make a trigger token',
    params: params({ id, description: param.string() }),
    responses: { 201: Trigger },
    guard,
    handler: async ({ guarded: { project }, params: { description }, caller }) => {
      const now = clock.now();
      const row = await database.transaction((tx) =>
        insertTrigger(tx, {
          project_id: project.id,
          owner_id: caller.user.id,
          description,
          token: newToken('trigger'),
          created_at: now,
          updated_at: now,
        }),
      );
      return show(row, caller.user);
    },
  });

  routes.put('/projects/:id/triggers/:trigger_id', {
    summary: 'Change the description of a trigger token',
    params: params({ ...one, description: optional(param.string()) }),
    responses: { 200: Trigger },
    guard,
    handler: async ({ guarded: { project }, params: { trigger_id, description }, caller }) => {
      const row = await demand(project.id, trigger_id);
      if (row.owner_id !== caller.user.id) throw fail.forbidden();
      const changes = { ...(description != null && { description }), updated_at: clock.now() };
      const updated = await database.transaction((tx) => updateTrigger(tx, row.id, changes));
      if (!updated) throw fail.notFound('Trigger');
      return show(updated, caller.user);
    },
  });

  routes.delete('/projects/:id/triggers/:trigger_id', {
    summary: 'Delete a trigger token',
    params: params(one),
    responses: { 204: null },
    guard,
    handler: async ({ guarded: { project }, params: { trigger_id }, headers }) => {
      const row = await demand(project.id, trigger_id);
      demandUnmodified(headers, row.updated_at);
      await database.transaction((tx) => deleteTrigger(tx, row.id));
    },
  });
}

interface Shown {
  owner: User | undefined;
  viewer: User;
  baseUrl: string;
}

const present = (row: TriggerRow, { owner, viewer, baseUrl }: Shown): Static<typeof Trigger> => ({
  id: row.id,
  token: row.owner_id === viewer.id ? row.token : shortToken(row.token),
  description: row.description,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
  last_used: isoTimeOrNull(row.last_used_at),
  expires_at: null, // tokens of triggers end only by being deleted
  owner: owner ? presentUserBasic(owner, baseUrl) : null,
});
