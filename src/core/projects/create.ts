import { isValidBranchName } from '../../git/ref-name.ts';
import { listRefs, type Ref } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { Level } from '../access/levels.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { projectStream } from '../events.ts';
import { mayCreateProjects } from '../groups/rights.ts';
import { groupSettings } from '../groups/settings.ts';
import { insertMember } from '../members/store.ts';
import { pathFromName, projectNamingProblems, TAKEN } from '../namespaces/naming.ts';
import { findNamespaceById, findPersonalNamespace, isPathTaken } from '../namespaces/store.ts';
import { isWider, narrower } from '../namespaces/visibility.ts';
import { BRANCHES, TAGS } from '../repository/default-branch.ts';
import { protectDefaultBranch } from '../repository/protect-default.ts';
import type { Namespace, Visibility } from '../tables.ts';
import type { ProjectWithNamespace } from './find.ts';
import { writeReadme } from './readme.ts';
import { type ProjectSettings, settingsText } from './settings.ts';
import { withNewRepository } from './storage.ts';
import { countOwnProjects, deleteRedirect, findProjectById, insertProject, isNameTaken } from './store.ts';
import { setTopics } from './topics-store.ts';

export interface NewProject {
  /** One of name and path is enough. */
  name?: string | null | undefined;
  path?: string | null | undefined;
  /** The creator's own namespace when left out. */
  namespaceId?: number | null | undefined;
  description?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  defaultBranch?: string | null | undefined;
  /** Makes a first commit with a README on the default branch. */
  initializeWithReadme?: boolean | null | undefined;
  settings?: Partial<ProjectSettings>;
}

/** Everything that is known and checked of a project before its repository is made. */
export interface ProjectDraft {
  namespace: Namespace;
  name: string;
  path: string;
  description: string | null;
  visibility: Visibility;
  defaultBranch: string;
  settings: Partial<ProjectSettings>;
  forkedFromId: number | null;
}

/**
 * Makes a project with an empty repository, or one with a README. Throws 400 in GitLab's words for what is wrong with the
 * input, 403 when the creator's project limit is reached.
 */
export async function createProject(
  core: Core,
  actor: Actor,
  input: NewProject,
): Promise<ProjectWithNamespace> {
  const draft = await draftProject(core, actor, input);
  return storeProject(core, actor, draft, async (repository) => {
    await repository.create({ defaultBranch: draft.defaultBranch });
    if (input.initializeWithReadme) await writeReadme(repository, draft, { actor, now: core.clock.now() });
  });
}

export async function draftProject(core: Core, actor: Actor, input: NewProject): Promise<ProjectDraft> {
  const namespace = await homeOf(core, actor, input.namespaceId ?? null);
  await demandRoom(core, namespace);
  const path = input.path || pathFromName(input.name ?? '');
  const name = input.name || path;
  const defaults = await core.settings.current();
  const groupBranch = namespace.kind === 'group' ? groupSettings(namespace).default_branch : null;
  const draft: ProjectDraft = {
    namespace,
    name,
    path,
    description: input.description ?? null,
    visibility: input.visibility ?? defaultVisibility(namespace, defaults.default_project_visibility),
    defaultBranch: input.defaultBranch || groupBranch || defaults.default_branch_name || 'main',
    settings: input.settings ?? {},
    forkedFromId: null,
  };
  refuse({ ...projectNamingProblems(draft), ...draftProblems(draft) });
  return draft;
}

/** Where a new project goes; GitLab does not tell a missing namespace from one that is closed to him. */
async function homeOf(core: Core, actor: Actor, namespaceId: number | null): Promise<Namespace> {
  const namespace =
    namespaceId === null
      ? await findPersonalNamespace(core.db, actor.user.id)
      : await findNamespaceById(core.db, namespaceId);
  if (!namespace || !(await mayFill(core, actor, namespace))) {
    throw fail.invalid({ namespace: ['is not valid'] });
  }
  return namespace;
}

/** Whether this person may put projects there. */
export async function mayFill(core: Core, actor: Actor, namespace: Namespace): Promise<boolean> {
  if (namespace.kind === 'user') return actor.admin || namespace.owner_id === actor.user.id;
  return mayCreateProjects(await core.access.group(actor, namespace));
}

/** The limit counts what a person has in his own namespace, whoever puts it there. */
async function demandRoom(core: Core, namespace: Namespace): Promise<void> {
  if (namespace.kind === 'group' || namespace.owner_id === null) return;
  const { limit, used } = await countOwnProjects(core.db, namespace.owner_id);
  if (used < limit) return;
  const text =
    limit === 0
      ? 'You cannot create projects in your personal namespace. Contact your administrator.'
      : `Your project limit is ${limit} projects! Please contact your administrator to increase it`;
  throw fail.forbidden(text);
}

function defaultVisibility(namespace: Namespace, byDefault: Visibility): Visibility {
  return namespace.kind === 'group' ? narrower(byDefault, namespace.visibility) : byDefault;
}

function draftProblems(draft: ProjectDraft): FieldErrors {
  const { namespace, visibility, defaultBranch, description, settings } = draft;
  const problems: FieldErrors = visibilityProblems(namespace, visibility);
  if (!isValidBranchName(defaultBranch)) problems['default_branch'] = ['is invalid'];
  return { ...problems, ...descriptionProblems(description), ...topicProblems(settings.topics ?? []) };
}

export const descriptionProblems = (description: string | null): FieldErrors =>
  (description ?? '').length > 2000 ? { description: ['is too long (maximum is 2000 characters)'] } : {};

export const topicProblems = (topics: readonly string[]): FieldErrors =>
  topics.some((topic) => topic.length > 255)
    ? { topics: ['name is too long (maximum is 255 characters)'] }
    : {};

/** A project is never open to more people than the group around it. */
export function visibilityProblems(namespace: Namespace, visibility: Visibility): FieldErrors {
  if (namespace.kind === 'user' || !isWider(visibility, namespace.visibility)) return {};
  return { visibility_level: [`${visibility} is not allowed in a ${namespace.visibility} group.`] };
}

export function refuse(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
}

/** What a repository holds when its project begins. */
interface Beginning {
  defaultBranch: string;
  refs: readonly Ref[];
}

/** The repository first, by `fill`, then the row with what belongs to a new project. */
export async function storeProject(
  core: Core,
  actor: Actor,
  draft: ProjectDraft,
  fill: (repository: Repository) => Promise<void>,
): Promise<ProjectWithNamespace> {
  // Asked before any work on disk, and again inside the transaction, where the answer counts.
  await refuseTaken(core.db, draft);
  const begin = async (repository: Repository): Promise<Beginning> => {
    await fill(repository);
    return { defaultBranch: await repository.head(), refs: await listRefs(repository) };
  };
  const protection = await core.settings.get('default_branch_protection');
  try {
    return await withNewRepository(core, begin, (tx, storagePath, beginning) =>
      insertDraft(core, tx, actor, { draft, protection, storagePath, beginning }),
    );
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    throw fail.invalid({ name: [TAKEN], path: [TAKEN] });
  }
}

async function refuseTaken(db: Tx | Core['db'], { namespace, name, path }: ProjectDraft): Promise<void> {
  const problems: FieldErrors = {};
  if (await isNameTaken(db, namespace.id, name)) problems['name'] = [TAKEN];
  if (await isPathTaken(db, `${namespace.full_path}/${path}`)) problems['path'] = [TAKEN];
  refuse(problems);
}

interface NewRow {
  draft: ProjectDraft;
  /** `default_branch_protection` as it is set now. */
  protection: number;
  storagePath: string;
  beginning: Beginning;
}

async function insertDraft(
  core: Core,
  tx: Tx,
  actor: Actor,
  { draft, protection, storagePath, beginning }: NewRow,
): Promise<ProjectWithNamespace> {
  // Read again: the namespace may have been renamed or deleted while the repository was made.
  const namespace = await findNamespaceById(tx, draft.namespace.id);
  if (!namespace) throw fail.invalid({ namespace: ['is not valid'] });
  await refuseTaken(tx, { ...draft, namespace });
  const now = core.clock.now();
  const fullPath = `${namespace.full_path}/${draft.path}`;
  await deleteRedirect(tx, fullPath);
  const id = await insertProject(tx, {
    namespace_id: namespace.id,
    creator_id: actor.user.id,
    name: draft.name,
    path: draft.path,
    full_path: fullPath,
    name_with_namespace: `${namespace.full_name} / ${draft.name}`,
    description: draft.description,
    visibility: draft.visibility,
    default_branch: beginning.defaultBranch,
    storage_path: storagePath,
    forked_from_id: draft.forkedFromId,
    settings: settingsText(draft.settings),
    created_at: now,
    updated_at: now,
    last_activity_at: now,
  });
  if (draft.settings.topics) await setTopics(tx, id, draft.settings.topics);
  const project = (await findProjectById(tx, id))!;
  await furnish(tx, project, beginning, { actor, protection });
  await announce(core, tx, project, beginning, actor);
  return project;
}

/**
 * As on GitLab: the default branch is protected from its first commit on (of an empty project, by the first push), and the
 * owner of a personal project is also its member.
 */
async function furnish(
  tx: Tx,
  project: ProjectWithNamespace,
  { defaultBranch, refs }: Beginning,
  { actor, protection }: { actor: Actor; protection: number },
): Promise<void> {
  const { id, created_at: now, namespace_owner_id: ownerId } = project;
  if (refs.some(({ name }) => name === BRANCHES + defaultBranch)) {
    await protectDefaultBranch(tx, id, { name: defaultBranch, protection, now });
  }
  if (ownerId === null) return;
  await insertMember(tx, {
    user_id: ownerId,
    project_id: id,
    namespace_id: null,
    access_level: Level.owner,
    expires_at: null,
    requested_at: null,
    created_by_id: actor.user.id,
    created_at: now,
  });
}

/** What a copy brings with it is told like a push, so that no room needs to look for it in another way. */
async function announce(
  core: Core,
  tx: Tx,
  project: ProjectWithNamespace,
  { refs }: Beginning,
  actor: Actor,
): Promise<void> {
  const userId = actor.user.id;
  const stream = projectStream(project.id);
  const { id: projectId, namespace_id: namespaceId, forked_from_id: forkedFromId } = project;
  const payload = { projectId, namespaceId, userId, forkedFromId };
  await core.events.publish(tx, { type: 'project.created', stream, payload });
  for (const { name: ref, oid: newOid } of refs) {
    if (!ref.startsWith(BRANCHES) && !ref.startsWith(TAGS)) continue;
    const origin = { userId, via: 'import' } as const;
    const moved = { projectId, ref, oldOid: null, newOid, origin };
    await core.events.publish(tx, { type: 'ref.moved', stream, payload: moved });
  }
}
