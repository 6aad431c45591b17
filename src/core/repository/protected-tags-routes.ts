import { UniqueViolation } from '../../platform/db/errors.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { pageOf, pageParams, sliceAnswer } from '../../platform/http/pagination.ts';
import { param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { Level } from '../access/levels.ts';
import type { Core, Room } from '../core.ts';
import { ProtectedTagEntity, presentProtectedTag, RULE_LEVELS } from './protection-entity.ts';
import {
  deleteProtectedTag,
  findProtectedTag,
  insertProtectedTag,
  protectedTags,
} from './protection-store.ts';
import { projectPath } from './reading.ts';

const rulePath = { ...projectPath, name: param.string({ description: 'Tag or pattern.' }) };

/** `/projects/:id/protected_tags` */
export function protectedTagRoutes(room: Room, core: Core): void {
  const maintains = core.guards.project('admin_project');
  const changes = core.guards.project('admin_project', 'manage_protected_refs');
  const find = async (projectId: number, name: string) => {
    const rule = await findProtectedTag(core.db, projectId, name);
    if (!rule) throw fail.recordNotFound();
    return rule;
  };

  room.get('/projects/:id/protected_tags', {
    summary: 'Protected tags and patterns',
    params: params({ ...projectPath, ...pageParams }),
    responses: { 200: Type.Array(ProtectedTagEntity) },
    guard: maintains,
    handler: async (call) => {
      const rules = await protectedTags(core.db, call.guarded.project.id);
      return sliceAnswer(call, pageOf(call.params), rules, presentProtectedTag);
    },
  });

  room.get('/projects/:id/protected_tags/:name', {
    summary: 'One protected tag or pattern',
    params: params(rulePath),
    responses: { 200: ProtectedTagEntity },
    guard: maintains,
    handler: async ({ guarded, params }) => presentProtectedTag(await find(guarded.project.id, params.name)),
  });

  room.post('/projects/:id/protected_tags', {
    summary: 'Protect a tag, or all whose names fit a pattern',
    params: params({
      ...projectPath,
      name: param.string({ blank: false, maxLength: 255 }),
      create_access_level: withDefault(
        param.oneOfNumbers(RULE_LEVELS, { description: 'Who may create such tags.' }),
        Level.maintainer,
      ),
    }),
    responses: { 201: ProtectedTagEntity },
    guard: changes,
    handler: async ({ guarded, params }) => {
      const row = {
        project_id: guarded.project.id,
        name: params.name,
        create_access_level: params.create_access_level,
        created_at: core.clock.now(),
      };
      try {
        return presentProtectedTag(await insertProtectedTag(core.db, row));
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error;
        throw new ApiError('unprocessable', { text: 'Name has already been taken' });
      }
    },
  });

  room.delete('/projects/:id/protected_tags/:name', {
    summary: 'Take a protection away',
    params: params(rulePath),
    responses: { 204: null },
    guard: changes,
    handler: async ({ guarded, params, headers }) => {
      const rule = await find(guarded.project.id, params.name);
      demandUnmodified(headers, rule.created_at);
      await deleteProtectedTag(core.db, rule.id);
    },
  });
}
