import { readCommit } from '../../git/objects.ts';
import type { Ref } from '../../git/refs.ts';
import { noContent } from '../../platform/http/answer.ts';
import {
  keysetAnswer,
  keysetParams,
  pageAnswer,
  pageOf,
  pageParams,
} from '../../platform/http/pagination.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { Level } from '../access/levels.ts';
import type { Core, Room } from '../core.ts';
import { Accepted, accepted } from '../entities.ts';
import { Branch, presentBranches } from './branch-entity.ts';
import {
  BRANCH_SORTS,
  createBranch,
  deleteBranch,
  deleteMergedBranches,
  findBranch,
  findBranches,
} from './branches.ts';
import { BRANCHES } from './default-branch.ts';
import {
  deleteProtectedBranch,
  findProtectedBranch,
  insertProtectedBranch,
  updateProtectedBranch,
} from './protection-store.ts';
import { projectPath } from './reading.ts';

const branchPath = { ...projectPath, branch: param.string({ description: 'Name, URL-encoded.' }) };

/** `/projects/:id/repository/branches` */
export function branchRoutes(room: Room, core: Core): void {
  listRoute(room, core);

  room.get('/projects/:id/repository/branches/:branch', {
    summary: 'One branch; HEAD tells only whether it is there',
    params: params(branchPath),
    responses: { 200: Branch, 204: null },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    handler: async ({ guarded, params, method, signal }) => {
      const branch = await findBranch(core.repositoryOf(guarded.project), params.branch);
      if (method === 'HEAD') return noContent();
      const [shown] = await presentBranches(core, guarded, { refs: [branch], signal });
      return shown;
    },
  });

  room.post('/projects/:id/repository/branches', {
    summary: 'Create a branch',
    params: params({ ...projectPath, branch: param.string(), ref: param.string() }),
    responses: { 201: Branch },
    guard: core.guards.repository('push_code'),
    handler: async ({ caller, guarded, params, signal }) => {
      const { branch: name, ref } = params;
      const branch = await createBranch(core, caller, guarded, { name, ref, signal });
      const [shown] = await presentBranches(core, guarded, { refs: [branch], signal });
      return shown;
    },
  });

  room.delete('/projects/:id/repository/branches/:branch', {
    summary: 'Delete a branch',
    params: params(branchPath),
    responses: { 204: null },
    guard: core.guards.repository('push_code'),
    handler: async ({ caller, guarded, params, headers }) => {
      const repo = core.repositoryOf(guarded.project);
      const commit = await readCommit(repo, (await findBranch(repo, params.branch)).oid);
      demandUnmodified(headers, commit?.committer.date ?? null);
      await deleteBranch(core, caller, guarded, params.branch);
    },
  });

  room.delete('/projects/:id/repository/merged_branches', {
    summary: 'Delete all branches that are merged into the default branch',
    params: params(projectPath),
    responses: { 202: Accepted },
    guard: core.guards.repository('push_code'),
    handler: async ({ caller, guarded, signal }) => {
      await deleteMergedBranches(core, caller, guarded, signal);
      return accepted();
    },
  });

  protectRoutes(room, core);
}

function listRoute(room: Room, core: Core): void {
  room.get('/projects/:id/repository/branches', {
    summary: 'Branches of a project',
    params: params({
      ...projectPath,
      search: optional(param.string({ description: 'Part of the name; `^` and `$` stand for its ends.' })),
      regex: optional(param.string({ description: 'RE2 pattern.' })),
      sort: optional(param.oneOf(BRANCH_SORTS)),
      page_token: optional(param.string({ description: 'Keyset pages: the name after which to go on.' })),
      ...keysetParams,
      ...pageParams,
    }),
    responses: { 200: Type.Array(Branch) },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    handler: async (call) => {
      const { guarded, params, signal } = call;
      const refs = await findBranches(core.repositoryOf(guarded.project), params, signal);
      const page = pageOf(params);
      const show = (some: readonly Ref[]) => presentBranches(core, guarded, { refs: some, signal });
      if (params.pagination === 'keyset') {
        const from = positionAfter(refs, params.page_token);
        const some = refs.slice(from, from + page.perPage);
        const last = from + page.perPage < refs.length ? some.at(-1) : undefined;
        const next = last ? { page_token: last.name.slice(BRANCHES.length) } : null;
        return keysetAnswer(call, await show(some), next);
      }
      const some = refs.slice(page.offset, page.offset + page.perPage);
      return pageAnswer(call, page, await show(some), { total: refs.length });
    },
  });
}

/** By name also when the branch itself is gone by now; from the start when the list is in another order and it is not found. */
function positionAfter(refs: readonly Ref[], token: string | null | undefined): number {
  if (!token) return 0;
  const name = BRANCHES + token;
  const found = refs.findIndex((ref) => ref.name === name);
  if (found >= 0) return found + 1;
  const next = refs.findIndex((ref) => ref.name > name);
  return next < 0 ? refs.length : next;
}

/** The routes of GitLab before it had `protected_branches`; clients still call them. */
function protectRoutes(room: Room, core: Core): void {
  room.put('/projects/:id/repository/branches/:branch/protect', {
    summary: 'Protect a branch, the old way',
    params: params({
      ...branchPath,
      developers_can_push: optional(param.boolean()),
      developers_can_merge: optional(param.boolean()),
    }),
    responses: { 200: Branch },
    guard: core.guards.repository('manage_protected_refs'),
    handler: async ({ guarded, params, signal }) => {
      const branch = await findBranch(core.repositoryOf(guarded.project), params.branch);
      await protect(core, guarded.project.id, params);
      const [shown] = await presentBranches(core, guarded, { refs: [branch], signal });
      return shown;
    },
  });

  room.put('/projects/:id/repository/branches/:branch/unprotect', {
    summary: 'Take the protection from a branch, the old way',
    params: params(branchPath),
    responses: { 200: Branch },
    guard: core.guards.repository('manage_protected_refs'),
    handler: async ({ guarded, params, signal }) => {
      const branch = await findBranch(core.repositoryOf(guarded.project), params.branch);
      const rule = await findProtectedBranch(core.db, guarded.project.id, params.branch);
      if (rule) await deleteProtectedBranch(core.db, rule.id);
      const [shown] = await presentBranches(core, guarded, { refs: [branch], signal });
      return shown;
    },
  });
}

interface OldProtection {
  branch: string;
  developers_can_push?: boolean | null | undefined;
  developers_can_merge?: boolean | null | undefined;
}

async function protect(core: Core, projectId: number, wanted: OldProtection): Promise<void> {
  const level = (developers: boolean) => (developers ? Level.developer : Level.maintainer);
  const { branch: name, developers_can_push: push, developers_can_merge: merge } = wanted;
  await core.database.transaction(async (tx) => {
    const rule = await findProtectedBranch(tx, projectId, name);
    if (!rule) {
      await insertProtectedBranch(tx, {
        project_id: projectId,
        name,
        push_access_level: level(push === true),
        merge_access_level: level(merge === true),
        created_at: core.clock.now(),
      });
      return;
    }
    const changes = {
      ...(typeof push === 'boolean' && { push_access_level: level(push) }),
      ...(typeof merge === 'boolean' && { merge_access_level: level(merge) }),
    };
    if (Object.keys(changes).length > 0) await updateProtectedBranch(tx, rule.id, changes);
  });
}
