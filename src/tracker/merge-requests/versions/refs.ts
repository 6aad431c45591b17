import type { Core } from '../../../core/core.ts';
import type { Project } from '../../../core/tables.ts';
import { keepAround } from '../../../git/keep-around.ts';
import { readInfo } from '../../../git/objects.ts';
import { RefConflict } from '../../../git/ref-update.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { listVersions } from './store.ts';

/** What of a merge request clients can fetch, and what keeps its commits from git's prune. Nobody pushes there. */
export const headRef = (iid: number): string => `refs/merge-requests/${iid}/head`;
/** What merging it would give; there once somebody has asked for it. */
export const mergeRef = (iid: number): string => `refs/merge-requests/${iid}/merge`;

type Where = Pick<Project, 'id' | 'storage_path'>;

// A push may come before the one before it is handled, hardly more than one.
const VERSIONS_LOOKED_AT = 5;

/** Points the head at the present commit, and keeps those of the last versions. Doing so again is no harm; a rival that is newer wins. */
export async function keepHead(
  core: Pick<Core, 'db' | 'refUpdates' | 'repositoryOf'>,
  project: Where,
  row: Pick<MergeRequestRow, 'id' | 'iid' | 'sha'>,
): Promise<void> {
  const repo = core.repositoryOf(project);
  if (row.sha === null || !(await readInfo(repo, row.sha))) return;
  await pointRef(core, project, headRef(row.iid), row.sha);
  const versions = await listVersions(core.db, row.id, { limit: VERSIONS_LOOKED_AT, offset: 0 });
  const commits = versions.flatMap(({ head_sha, base_sha, start_sha }) => [head_sha, base_sha, start_sha]);
  await keepAround(
    repo,
    commits.flatMap((oid) => oid ?? []),
  );
}

export async function pointRef(
  core: Pick<Core, 'refUpdates'>,
  project: Where,
  ref: string,
  oid: string,
): Promise<void> {
  try {
    await core.refUpdates.update(project, [{ ref, new: oid }], { userId: null, via: 'api' });
  } catch (error) {
    if (!(error instanceof RefConflict)) throw error;
  }
}

export async function dropRefs(core: Pick<Core, 'refUpdates'>, project: Where, iid: number): Promise<void> {
  const gone = [headRef(iid), mergeRef(iid)].map((ref) => ({ ref, new: null }));
  await core.refUpdates.update(project, gone, { userId: null, via: 'api' });
}
