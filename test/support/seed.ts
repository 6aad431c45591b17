import type { Core } from '../../src/core/core.ts';
import { insertMember } from '../../src/core/members/store.ts';
import { findPersonalNamespace } from '../../src/core/namespaces/store.ts';
import type { ProjectWithNamespace } from '../../src/core/projects/find.ts';
import { findProjectById, insertProject } from '../../src/core/projects/store.ts';
import type { User, Visibility } from '../../src/core/tables.ts';
import { newToken, tokenHash } from '../../src/core/tokens/secret.ts';
import { insertToken } from '../../src/core/tokens/store.ts';
import { createUser } from '../../src/core/users/create.ts';
import { findEntry, readCommit } from '../../src/git/objects.ts';
import { resolveRef } from '../../src/git/refs.ts';
import { editTree } from '../../src/git/tree-edit.ts';
import { writeCommit } from '../../src/git/write.ts';

/** People, projects and history for tests of rooms above core, written below the routes so that none of them is needed. */

export interface Person {
  user: User;
  token: string;
}

/** The same for a test that only calls: who it is, by number, and the token. */
export async function seedPerson(core: Core, username: string): Promise<{ id: number; token: string }> {
  const { user, token } = await seedUser(core, username);
  return { id: user.id, token };
}

export async function seedUser(core: Core, username: string): Promise<Person> {
  const now = core.clock.now();
  const token = newToken('personal');
  const user = await core.database.transaction(async (tx) => {
    const made = await createUser(
      tx,
      { username, name: username.toUpperCase(), email: `${username}@example.com` },
      now,
    );
    await insertToken(tx, {
      user_id: made.id,
      name: 'test',
      token_hash: tokenHash(token),
      scopes: 'api',
      created_at: now,
      updated_at: now,
    });
    return made;
  });
  return { user, token };
}

export interface SeedProject {
  ownerId?: number;
  visibility?: Visibility;
  forkedFromId?: number | null;
  settings?: string;
}

/** With an empty repository whose default branch is `main`, in the personal namespace of its owner (root). */
export async function seedProject(
  core: Core,
  path: string,
  { ownerId = 1, visibility = 'private', forkedFromId = null, settings = '{}' }: SeedProject = {},
): Promise<ProjectWithNamespace> {
  const namespace = (await findPersonalNamespace(core.db, ownerId))!;
  const storagePath = `${namespace.path}-${path}.git`;
  await core.git.repository(storagePath).create({ defaultBranch: 'main' });
  const now = core.clock.now();
  return core.database.transaction(async (tx) => {
    const id = await insertProject(tx, {
      namespace_id: namespace.id,
      creator_id: ownerId,
      name: path,
      path,
      full_path: `${namespace.full_path}/${path}`,
      name_with_namespace: `${namespace.full_name} / ${path}`,
      description: null,
      visibility,
      default_branch: 'main',
      storage_path: storagePath,
      forked_from_id: forkedFromId,
      settings,
      created_at: now,
      updated_at: now,
      last_activity_at: now,
    });
    return (await findProjectById(tx, id))!;
  });
}

export async function seedMember(
  core: Core,
  project: { id: number },
  user: { id: number },
  level: number,
): Promise<void> {
  await core.database.transaction((tx) =>
    insertMember(tx, {
      user_id: user.id,
      project_id: project.id,
      namespace_id: null,
      access_level: level,
      expires_at: null,
      requested_at: null,
      created_by_id: null,
      created_at: core.clock.now(),
    }),
  );
}

export interface SeedCommit {
  branch: string;
  /** Where the branch begins if it is not there: another branch's name. */
  from?: string;
  /** Contents by path, new or instead of what is there; null deletes. */
  files: Record<string, string | null>;
  message?: string;
  /** Further parents, for a merge. */
  merges?: string[];
}

/** Commits on a branch as a push does, event included. Returns the id. */
export async function seedCommit(
  core: Core,
  project: ProjectWithNamespace,
  { branch, from, files, message = 'Change\n', merges = [] }: SeedCommit,
): Promise<string> {
  const repo = core.repositoryOf(project);
  const ref = `refs/heads/${branch}`;
  const old = await resolveRef(repo, ref);
  const parent = old ?? (from === undefined ? null : await resolveRef(repo, `refs/heads/${from}`));
  const before = parent === null ? null : (await readCommit(repo, parent))!;
  const actions = Object.entries(files).map(async ([path, content]) => {
    if (content === null) return { action: 'delete' as const, path };
    const isThere = before !== null && (await findEntry(repo, before.tree, path)) !== null;
    const action = isThere ? ('update' as const) : ('create' as const);
    return { action, path, content: Buffer.from(content) };
  });
  const tree = await editTree(repo, before?.tree ?? null, await Promise.all(actions));
  const who = { name: 'Ann', email: 'ann@example.com', date: core.clock.now(), offset: '+00:00' };
  const parents = [...(parent === null ? [] : [parent]), ...merges];
  const commit = await writeCommit(repo, { tree, parents, author: who, committer: who, message });
  await core.refUpdates.update(project, [{ ref, old, new: commit }], { userId: 1, via: 'push' });
  return commit;
}
