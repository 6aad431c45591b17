import { updateRefs } from '../../git/ref-update.ts';
import { listRefs, resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import type { InProject } from '../guards.ts';
import { findNamespace } from '../namespaces/find.ts';
import { TAKEN } from '../namespaces/naming.ts';
import { findNamespaceById, findPersonalNamespace, isPathTaken } from '../namespaces/store.ts';
import { narrower } from '../namespaces/visibility.ts';
import { BRANCHES } from '../repository/default-branch.ts';
import type { Namespace, Visibility } from '../tables.ts';
import { draftProject, mayFill, type ProjectDraft, storeProject } from './create.ts';
import type { ProjectWithNamespace } from './find.ts';
import { projectSettings } from './settings.ts';
import { isNameTaken } from './store.ts';

export interface ForkRequest {
  /** One of the three says where to; his own namespace without. */
  namespace?: string | null | undefined;
  namespaceId?: number | null | undefined;
  namespacePath?: string | null | undefined;
  name?: string | null | undefined;
  path?: string | null | undefined;
  description?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  /** Only this branch, which becomes the default one. */
  onlyBranch?: string | null | undefined;
  mrDefaultTargetSelf?: boolean | null | undefined;
}

/**
 * Copies a project with its branches and tags. Throws 404 for a namespace that is not there or closed to the actor, 409 in
 * GitLab's words when the name or path is in use there.
 */
export async function forkProject(
  core: Core,
  actor: Actor,
  { project: origin, access }: InProject,
  request: ForkRequest,
): Promise<ProjectWithNamespace> {
  access.demand('fork_project');
  const namespace = await targetOf(core, actor, request);
  const source = core.repositoryOf(origin);
  if (request.onlyBranch) await demandBranch(source, request.onlyBranch);
  const draft = await draftFork(core, actor, origin, namespace, request);
  return storeProject(core, actor, draft, async (repository) => {
    await repository.cloneFrom(source);
    if (request.onlyBranch) await keepOnly(repository, request.onlyBranch);
  });
}

async function demandBranch(source: Repository, branch: string): Promise<void> {
  const found = await resolveRef(source, BRANCHES + branch);
  if (found === null) throw fail.badRequest(`Branch '${branch}' not found`);
}

/** Nobody knows the new repository yet: its refs are taken away without telling. */
async function keepOnly(repository: Repository, branch: string): Promise<void> {
  const others = (await listRefs(repository, BRANCHES)).filter(({ name }) => name !== BRANCHES + branch);
  await repository.setHead(branch);
  await updateRefs(
    repository,
    others.map(({ name }) => ({ ref: name, new: null })),
  );
}

async function targetOf(core: Core, actor: Actor, request: ForkRequest): Promise<Namespace> {
  const { namespaceId, namespacePath, namespace: reference } = request;
  const found = await findTarget(core, actor, { namespaceId, namespacePath, reference });
  if (!found) throw fail.notFound('Target Namespace');
  if (!(await mayFill(core, actor, found))) throw fail.notFound('Target Namespace');
  return found;
}

async function findTarget(
  core: Core,
  actor: Actor,
  {
    namespaceId,
    namespacePath,
    reference,
  }: {
    namespaceId: number | null | undefined;
    namespacePath: string | null | undefined;
    reference: string | null | undefined;
  },
): Promise<Namespace | undefined> {
  if (namespaceId) return findNamespaceById(core.db, namespaceId);
  const text = namespacePath || reference;
  return text ? findNamespace(core.db, text) : findPersonalNamespace(core.db, actor.user.id);
}

async function draftFork(
  core: Core,
  actor: Actor,
  origin: ProjectWithNamespace,
  namespace: Namespace,
  request: ForkRequest,
): Promise<ProjectDraft> {
  const name = request.name || origin.name;
  const path = request.path || origin.path;
  await refuseConflict(core, namespace, { name, path });
  const capped =
    namespace.kind === 'group' ? narrower(origin.visibility, namespace.visibility) : origin.visibility;
  const own = { topics: [], mr_default_target_self: request.mrDefaultTargetSelf ?? false };
  const draft = await draftProject(core, actor, {
    name,
    path,
    namespaceId: namespace.id,
    description: request.description ?? origin.description,
    visibility: narrower(request.visibility ?? capped, origin.visibility),
    defaultBranch: request.onlyBranch ?? origin.default_branch,
    settings: { ...projectSettings(origin), ...own },
  });
  return { ...draft, forkedFromId: origin.id };
}

/** GitLab answers these as a conflict, not as the invalid record that a new project would be. */
async function refuseConflict(
  core: Core,
  namespace: Namespace,
  { name, path }: { name: string; path: string },
): Promise<void> {
  const problems: FieldErrors = {};
  if (await isNameTaken(core.db, namespace.id, name)) problems['name'] = [TAKEN];
  if (await isPathTaken(core.db, `${namespace.full_path}/${path}`)) problems['path'] = [TAKEN];
  if (Object.keys(problems).length > 0) throw fail.conflict(problems);
}
