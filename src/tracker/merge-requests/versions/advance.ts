import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import { isAncestor } from '../../../git/ancestry.ts';
import { commitTitle } from '../../../git/message.ts';
import { readCommits, readInfo } from '../../../git/objects.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { inTurn } from '../merging/turn.ts';
import { findMergeRequestById, updateMergeRequestRow } from '../store.ts';
import { noteDeeds, pushDeed } from '../system-notes.ts';
import { listCommitIds, replaceCommits } from './commits-store.ts';
import { insertVersion } from './store.ts';
import { type Branches, readVersion, tipsOf, type Version } from './version.ts';
import '../../events.ts';

/**
 * Takes up what was pushed to the source branch: the new commit, its commits and its diff. Returns the row as it is then;
 * unchanged when nothing was pushed, or when a branch is gone (the request then stays with what it had). Waits for merges
 * into the target branch.
 */
export function advance(
  core: Core,
  row: MergeRequestRow,
  branches: Branches,
  userId: number | null,
): Promise<MergeRequestRow> {
  return inTurn(core, branches.target, () => advanceNow(core, row, branches, userId));
}

/** The same for who has the turn already. */
export async function advanceNow(
  core: Core,
  row: MergeRequestRow,
  branches: Branches,
  userId: number | null,
): Promise<MergeRequestRow> {
  const { sourceTip, targetTip } = await tipsOf(core, branches);
  if (row.state !== 'opened' || sourceTip === null || targetTip === null || sourceTip === row.sha) return row;
  if (await isMerged(core, row, branches, targetTip)) return row;
  const version = await readVersion(core, branches, { sourceTip, targetTip });
  const pushed = await pushedSince(core, row, branches.target.project, version);
  const updated = await core.database.transaction((tx) => takeUp(core, tx, row, { version, pushed, userId }));
  return updated ?? row;
}

/** A process that was killed after it merged has not said so yet: the event of the target branch will, about what was merged. */
async function isMerged(
  core: Core,
  { in_progress_merge_commit_sha: merge }: MergeRequestRow,
  { target }: Branches,
  targetTip: string,
): Promise<boolean> {
  const repo = core.repositoryOf(target.project);
  return merge !== null && (await readInfo(repo, merge)) !== null && isAncestor(repo, merge, targetTip);
}

/** What is new, the newest first; of many commits only some are told. */
interface Pushed {
  commits: { id: string; title: string }[];
  count: number;
}

interface PushedVersion {
  version: Version;
  pushed: Pushed;
  userId: number | null;
}

/** More commits are only counted. */
const MAX_TOLD = 20;
/** A title has no bound of its own, an event has. */
const MAX_TITLE = 255;

async function pushedSince(
  core: Core,
  row: MergeRequestRow,
  project: Branches['target']['project'],
  { commits }: Version,
): Promise<Pushed> {
  const before = new Set(await listCommitIds(core.db, row.id, { limit: commits.length, offset: 0 }));
  const added = commits.filter((oid) => !before.has(oid));
  const found = await readCommits(core.repositoryOf(project), added.slice(0, MAX_TOLD));
  const told = found.flatMap((commit) =>
    commit ? [{ id: commit.id, title: commitTitle(commit.message).slice(0, MAX_TITLE) }] : [],
  );
  return { commits: told, count: added.length };
}

/** Read again within the transaction: the event of the push and a merge may be at it at once. */
async function takeUp(
  core: Core,
  tx: Tx,
  { id }: MergeRequestRow,
  { version: { commits, ...version }, pushed, userId }: PushedVersion,
): Promise<MergeRequestRow | undefined> {
  const row = await findMergeRequestById(tx, id);
  if (row?.state !== 'opened' || row.sha === version.sha) return row;
  const now = core.clock.now();
  // Whoever said that it may be merged later has not seen what is new.
  const changes = { ...version, ...nextVersion(row), auto_merge: null, updated_at: now };
  const after = await updateMergeRequestRow(tx, id, changes);
  if (!after) return undefined;
  await replaceCommits(tx, id, commits);
  await insertVersion(tx, after, now);
  await noteDeeds(tx, core, after, { userId, bodies: [pushDeed(pushed.commits, pushed.count)] });
  await core.events.publish(tx, {
    type: 'merge_request.updated',
    stream: projectStream(row.project_id),
    payload: {
      projectId: row.project_id,
      mergeRequestId: id,
      iid: row.iid,
      userId,
      changes: ['sha'],
      pushed,
    },
  });
  return after;
}

/** What another diff means for the row: nobody knows whether it merges. */
export const nextVersion = (row: Pick<MergeRequestRow, 'version'>) => ({
  version: row.version + 1,
  merge_status: 'unchecked' as const,
  merge_status_of: null,
});
