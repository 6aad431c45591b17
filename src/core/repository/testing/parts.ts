import { join } from 'node:path';
import { openGit } from '../../../git/git.ts';
import { writeCommit, writeTree } from '../../../git/write.ts';
import { systemClock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { Events } from '../../../platform/events/events.ts';
import { createLog } from '../../../platform/log.ts';
import { Metrics } from '../../../platform/metrics.ts';
import type { CoreDeps } from '../../core.ts';
import { Settings } from '../../settings/settings.ts';
import { createUser } from '../../users/create.ts';
import { type RefProject, RefUpdates } from '../ref-updates.ts';

/** As much of a service as ref updates need, on a database that may have been used before. */
export function openParts(database: Database, dir: string) {
  const log = createLog('silent');
  const metrics = new Metrics();
  const clock = systemClock;
  const git = openGit({ dir: join(dir, 'repositories'), log, metrics, fsync: false });
  const events = new Events({ database, clock, log, metrics });
  const deps: CoreDeps = { database, git, events, clock, log, metrics, baseUrl: () => 'http://127.0.0.1' };
  const refUpdates = new RefUpdates({ ...deps, settings: new Settings(deps) }, { patienceMs: 200 });
  return {
    deps,
    refUpdates,
    async close() {
      refUpdates.close();
      await git.close();
    },
  };
}

export type Parts = ReturnType<typeof openParts>;

/** A project with an empty repository. */
export async function addProject({ deps }: Parts, path: string): Promise<RefProject> {
  const now = deps.clock.now();
  const storagePath = `${path}.git`;
  await deps.git.repository(storagePath).create({ defaultBranch: 'main' });
  return deps.database.transaction(async (tx) => {
    const user = await createUser(tx, { username: path, name: path, email: `${path}@example.com` }, now);
    const namespace = await tx
      .selectFrom('namespaces')
      .select('id')
      .where('owner_id', '=', user.id)
      .executeTakeFirstOrThrow();
    return tx
      .insertInto('projects')
      .values({
        namespace_id: namespace.id,
        creator_id: user.id,
        name: path,
        path,
        full_path: `${path}/${path}`,
        name_with_namespace: path,
        description: null,
        default_branch: null,
        storage_path: storagePath,
        forked_from_id: null,
        created_at: now,
        updated_at: now,
        last_activity_at: 0,
      })
      .returning(['id', 'storage_path'])
      .executeTakeFirstOrThrow();
  });
}

/** Commits that nothing points at yet; the same names give the same ids in every process. */
export async function addCommit({ deps }: Parts, project: RefProject, name: string): Promise<string> {
  const repo = deps.git.repository(project.storage_path);
  const who = { name: 'Ann', email: 'ann@example.com', date: 1_700_000_000_000, offset: '+00:00' };
  const tree = await writeTree(repo, []);
  return writeCommit(repo, { tree, parents: [], author: who, committer: who, message: name });
}

/** Every such event of a project, oldest first, as `ref old new`. */
export async function movesTold(
  { deps }: Parts,
  project: RefProject,
  type: 'ref.moved' | 'wiki.moved' = 'ref.moved',
): Promise<string[]> {
  const rows = await deps.database.db
    .selectFrom('events')
    .select('payload')
    .where('stream', '=', `project:${project.id}`)
    .where('type', '=', type)
    .orderBy('id')
    .execute();
  return rows.map(({ payload }) => {
    const { ref, oldOid, newOid } = JSON.parse(payload);
    return `${ref} ${oldOid} ${newOid}`;
  });
}

export async function openIntents({ deps }: Parts): Promise<number> {
  const rows = await deps.database.db.selectFrom('ref_intents').select('id').execute();
  return rows.length;
}
