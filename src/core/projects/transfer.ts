import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { Level } from '../access/levels.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { findMemberRow, insertMember, updateMember } from '../members/store.ts';
import { asRubyHash } from '../namespaces/naming.ts';
import { findNamespaceById, isPathTaken } from '../namespaces/store.ts';
import { narrower } from '../namespaces/visibility.ts';
import type { Namespace } from '../tables.ts';
import { changeProject } from './change.ts';
import { mayFill } from './create.ts';
import type { ProjectWithNamespace } from './find.ts';
import { findProjectById, isNameTaken } from './store.ts';

/** Moves a project to another namespace. Throws 400 in GitLab's words when it cannot go there. */
export async function transferProject(
  core: Core,
  actor: Actor,
  project: ProjectWithNamespace,
  target: Namespace,
): Promise<ProjectWithNamespace> {
  if (target.id === project.namespace_id) throw refusal('Project is already in this namespace.');
  if (!(await mayFill(core, actor, target))) {
    throw refusal("You don't have permission to transfer projects into that namespace.");
  }
  return core.database.transaction(async (tx) => {
    const [before, namespace] = [
      await findProjectById(tx, project.id),
      await findNamespaceById(tx, target.id),
    ];
    if (!before || !namespace) throw fail.notFound(before ? 'Namespace' : 'Project');
    await refuseTaken(tx, before, namespace);
    const values = {
      namespace_id: namespace.id,
      full_path: `${namespace.full_path}/${before.path}`,
      name_with_namespace: `${namespace.full_name} / ${before.name}`,
      visibility:
        namespace.kind === 'group' ? narrower(before.visibility, namespace.visibility) : before.visibility,
    };
    const after = await changeProject(core, tx, before, values, actor.user.id);
    if (namespace.owner_id !== null) await makeOwner(core, tx, after, namespace.owner_id, actor);
    return after;
  });
}

const refusal = (text: string) =>
  fail.refused(`Failed to transfer project ${asRubyHash({ new_namespace: [text] })}`);

async function refuseTaken(tx: Tx, project: ProjectWithNamespace, namespace: Namespace): Promise<void> {
  const taken =
    (await isNameTaken(tx, namespace.id, project.name)) ||
    (await isPathTaken(tx, `${namespace.full_path}/${project.path}`, { projectId: project.id }));
  if (taken) throw refusal('Project with same name or path in target namespace already exists');
}

/** Whose namespace it is in is always a member of it. */
async function makeOwner(
  core: Core,
  tx: Tx,
  project: ProjectWithNamespace,
  ownerId: number,
  actor: Actor,
): Promise<void> {
  const columns = { project_id: project.id, namespace_id: null };
  const values = { access_level: Level.owner, expires_at: null, requested_at: null };
  const existing = await findMemberRow(tx, { columns }, ownerId);
  if (existing) await updateMember(tx, existing.id, values);
  else {
    await insertMember(tx, {
      ...columns,
      ...values,
      user_id: ownerId,
      created_by_id: actor.user.id,
      created_at: core.clock.now(),
    });
  }
}
