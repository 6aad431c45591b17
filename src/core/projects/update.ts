import { resolveRef } from '../../git/refs.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import type { InProject } from '../guards.ts';
import { projectNamingProblems, TAKEN } from '../namespaces/naming.ts';
import { findNamespaceById, isPathTaken } from '../namespaces/store.ts';
import { isWider } from '../namespaces/visibility.ts';
import { protectDefaultBranch } from '../repository/protect-default.ts';
import type { Project, Visibility } from '../tables.ts';
import { changeProject } from './change.ts';
import { descriptionProblems, refuse, topicProblems, visibilityProblems } from './create.ts';
import type { ProjectWithNamespace } from './find.ts';
import { pointHead } from './head.ts';
import { mergedSettings } from './params.ts';
import { type ProjectSettings, settingsText } from './settings.ts';
import { findProjectById, isNameTaken } from './store.ts';
import { setTopics } from './topics-store.ts';

/** What is to be different; null and absent leave a value as it is, but for the description, which null takes away. */
export interface ProjectUpdate {
  name?: string | null | undefined;
  path?: string | null | undefined;
  description?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  defaultBranch?: string | null | undefined;
  archived?: boolean | null | undefined;
  settings?: Partial<ProjectSettings>;
}

/** Throws 403 for what maintainers may not change, 400 in GitLab's words for what is wrong. */
export async function updateProject(
  core: Core,
  actor: Actor,
  { project, access }: InProject,
  wanted: ProjectUpdate,
): Promise<ProjectWithNamespace> {
  demandRights(project, access, wanted);
  if (wanted.defaultBranch) await demandBranch(core, project, wanted.defaultBranch);
  try {
    const protection = await core.settings.get('default_branch_protection');
    const updated = await core.database.transaction((tx) =>
      applyUpdate(core, tx, actor, { id: project.id, wanted, protection }),
    );
    if (updated.default_branch !== project.default_branch) await pointHead(core, project.id);
    return updated;
  } catch (error) {
    if (error instanceof UniqueViolation) throw fail.invalid({ name: [TAKEN], path: [TAKEN] });
    throw error;
  }
}

function demandRights(project: Project, access: InProject['access'], wanted: ProjectUpdate): void {
  const { name, path, visibility, archived } = wanted;
  if ((name && name !== project.name) || (path && path !== project.path)) access.demand('rename_project');
  if (visibility && visibility !== project.visibility) access.demand('change_visibility');
  if (archived != null && archived !== (project.archived === 1)) access.demand('archive_project');
}

async function demandBranch(core: Core, project: Project, branch: string): Promise<void> {
  if (branch === project.default_branch) return;
  const found = await resolveRef(core.repositoryOf(project), `refs/heads/${branch}`);
  if (found === null) {
    throw fail.invalid({ base: [`Could not change HEAD: branch '${branch}' does not exist`] });
  }
}

async function applyUpdate(
  core: Core,
  tx: Tx,
  actor: Actor,
  { id, wanted, protection }: { id: number; wanted: ProjectUpdate; protection: number },
): Promise<ProjectWithNamespace> {
  const project = await findProjectById(tx, id);
  if (!project) throw fail.notFound('Project');
  const naming = await newNaming(tx, project, wanted);
  const { visibility, archived, defaultBranch, description } = wanted;
  await refuseVisibility(tx, project, visibility);
  refuse({
    ...descriptionProblems(description ?? null),
    ...topicProblems(wanted.settings?.topics ?? []),
  });
  if (defaultBranch) {
    await protectDefaultBranch(tx, id, { name: defaultBranch, protection, now: core.clock.now() });
  }
  const values = {
    ...naming,
    ...(description !== undefined && { description }),
    ...(visibility && { visibility }),
    ...(archived != null && { archived: archived ? 1 : 0 }),
    ...(defaultBranch && { default_branch: defaultBranch }),
    settings: settingsText(mergedSettings(project, wanted.settings ?? {})),
  };
  if (wanted.settings?.topics) await setTopics(tx, id, wanted.settings.topics);
  return changeProject(core, tx, project, values, actor.user.id);
}

/** Columns that follow from a new name or path; nothing when both stay. */
async function newNaming(
  tx: Tx,
  project: ProjectWithNamespace,
  { name: wantedName, path: wantedPath }: ProjectUpdate,
): Promise<Partial<Pick<Project, 'name' | 'path' | 'full_path' | 'name_with_namespace'>>> {
  const name = wantedName ?? project.name;
  const path = wantedPath ?? project.path;
  if (name === project.name && path === project.path) return {};
  const namespace = (await findNamespaceById(tx, project.namespace_id))!;
  const fullPath = `${namespace.full_path}/${path}`;
  const problems: FieldErrors = changedOnly(project, { name, path });
  refuse(problems);
  if (await isNameTaken(tx, namespace.id, name, project.id)) problems['name'] = [TAKEN];
  if (await isPathTaken(tx, fullPath, { projectId: project.id })) problems['path'] = [TAKEN];
  refuse(problems);
  return { name, path, full_path: fullPath, name_with_namespace: `${namespace.full_name} / ${name}` };
}

/** A name from before a rule may stay: only what is changed is held against the rules. */
function changedOnly(project: Project, wanted: { name: string; path: string }): FieldErrors {
  const problems = projectNamingProblems(wanted);
  if (wanted.name === project.name) delete problems['name'];
  if (wanted.path === project.path) delete problems['path'];
  return problems;
}

async function refuseVisibility(
  tx: Tx,
  project: ProjectWithNamespace,
  visibility: Visibility | null | undefined,
): Promise<void> {
  if (!visibility || !isWider(visibility, project.visibility)) return;
  const namespace = (await findNamespaceById(tx, project.namespace_id))!;
  refuse(visibilityProblems(namespace, visibility));
  const origin =
    project.forked_from_id === null ? undefined : await findProjectById(tx, project.forked_from_id);
  if (!origin || !isWider(visibility, origin.visibility)) return;
  const text = `${visibility} is not allowed since the fork source project has lower visibility.`;
  throw fail.invalid({ visibility_level: [text] });
}
