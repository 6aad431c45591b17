import { UniqueViolation } from '../../platform/db/errors.ts';
import { fail } from '../../platform/errors.ts';
import { pageOf, pageParams, sliceAnswer } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { Level } from '../access/levels.ts';
import type { Core, Room } from '../core.ts';
import type { ProtectedBranch } from '../tables.ts';
import { ProtectedBranchEntity, presentProtectedBranch, RULE_LEVELS } from './protection-entity.ts';
import {
  deleteProtectedBranch,
  findProtectedBranch,
  insertProtectedBranch,
  protectedBranches,
  updateProtectedBranch,
} from './protection-store.ts';
import { projectPath } from './reading.ts';

const level = (description: string) => param.oneOfNumbers(RULE_LEVELS, { description });
const rulePath = { ...projectPath, name: param.string({ description: 'Branch or pattern.' }) };

/** `/projects/:id/protected_branches` */
export function protectedBranchRoutes(room: Room, core: Core): void {
  const maintains = core.guards.project('admin_project');
  const changes = core.guards.project('admin_project', 'manage_protected_refs');
  const find = async (projectId: number, name: string): Promise<ProtectedBranch> => {
    const rule = await findProtectedBranch(core.db, projectId, name);
    if (!rule) throw fail.recordNotFound();
    return rule;
  };

  room.get('/projects/:id/protected_branches', {
    summary: 'Protected branches and patterns',
    params: params({ ...projectPath, search: optional(param.string()), ...pageParams }),
    responses: { 200: Type.Array(ProtectedBranchEntity) },
    guard: maintains,
    handler: async (call) => {
      const { guarded, params } = call;
      const wanted = (params.search ?? '').toLowerCase();
      const rules = await protectedBranches(core.db, guarded.project.id);
      const found = rules.filter((rule) => rule.name.toLowerCase().includes(wanted));
      return sliceAnswer(call, pageOf(params), found, presentProtectedBranch);
    },
  });

  room.get('/projects/:id/protected_branches/:name', {
    summary: 'One protected branch or pattern',
    params: params(rulePath),
    responses: { 200: ProtectedBranchEntity },
    guard: maintains,
    handler: async ({ guarded, params }) =>
      presentProtectedBranch(await find(guarded.project.id, params.name)),
  });

  room.post('/projects/:id/protected_branches', {
    summary: 'Protect a branch, or all whose names fit a pattern',
    params: params({
      ...projectPath,
      name: param.string({ blank: false, maxLength: 255 }),
      push_access_level: withDefault(level('Who may push.'), Level.maintainer),
      merge_access_level: withDefault(level('Who may merge.'), Level.maintainer),
      unprotect_access_level: optional(level('Who may take the protection away.')),
      allow_force_push: withDefault(param.boolean(), false),
    }),
    responses: { 201: ProtectedBranchEntity },
    guard: changes,
    handler: async ({ guarded, params }) => {
      const row = {
        project_id: guarded.project.id,
        name: params.name,
        push_access_level: params.push_access_level,
        merge_access_level: params.merge_access_level,
        unprotect_access_level: params.unprotect_access_level ?? null,
        allow_force_push: params.allow_force_push ? 1 : 0,
        created_at: core.clock.now(),
      };
      try {
        return presentProtectedBranch(await insertProtectedBranch(core.db, row));
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error;
        throw fail.conflict(`Protected branch '${params.name}' already exists`);
      }
    },
  });

  room.patch('/projects/:id/protected_branches/:name', {
    summary: 'Change a protection',
    params: params({
      ...rulePath,
      allow_force_push: optional(param.boolean()),
      push_access_level: optional(level('Who may push.')),
      merge_access_level: optional(level('Who may merge.')),
    }),
    responses: { 200: ProtectedBranchEntity },
    guard: changes,
    handler: async ({ guarded, params }) => {
      const rule = await find(guarded.project.id, params.name);
      const { allow_force_push: force, push_access_level: push, merge_access_level: merge } = params;
      const wanted = {
        ...(typeof force === 'boolean' && { allow_force_push: force ? 1 : 0 }),
        ...(typeof push === 'number' && { push_access_level: push }),
        ...(typeof merge === 'number' && { merge_access_level: merge }),
      };
      if (Object.keys(wanted).length === 0) return presentProtectedBranch(rule);
      const changed = await updateProtectedBranch(core.db, rule.id, wanted);
      if (!changed) throw fail.recordNotFound();
      return presentProtectedBranch(changed);
    },
  });

  room.delete('/projects/:id/protected_branches/:name', {
    summary: 'Take a protection away',
    params: params(rulePath),
    responses: { 204: null },
    guard: changes,
    handler: async ({ guarded, params, headers }) => {
      const rule = await find(guarded.project.id, params.name);
      demandUnmodified(headers, rule.created_at);
      const needed = rule.unprotect_access_level ?? Level.maintainer;
      if (needed === Level.none || guarded.access.level < needed) throw fail.forbidden();
      await deleteProtectedBranch(core.db, rule.id);
    },
  });
}
