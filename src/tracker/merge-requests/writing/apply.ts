import type { Core } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { fail } from '../../../platform/errors.ts';
import { newlyNamed } from '../../issuable.ts';
import { relabel } from '../../labels/named.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { replacePeople } from '../related-store.ts';
import { findMergeRequestById, updateMergeRequestRow } from '../store.ts';
import { nextVersion } from '../versions/advance.ts';
import { replaceCommits } from '../versions/commits-store.ts';
import { insertVersion } from '../versions/store.ts';
import type { Version } from '../versions/version.ts';
import { announceChange, type Lists, type PeopleChange, type StateEvent, writeHistory } from './announce.ts';
import type { MergeRequestChange } from './update.ts';

export type Changes = Parameters<typeof updateMergeRequestRow>[2];
/** What another target, or opening it again, makes of it. */
interface Renewal {
  version: Version;
  /** null: the branch it had. */
  target: string | null;
}

/** What is to happen, found before the transaction: it may have to look at repositories. */
export interface Plan {
  project: ProjectWithNamespace;
  changes: Changes;
  renewal: Renewal | null;
  createLabels: boolean;
  userId: number;
  assignees: number[] | undefined;
  reviewers: number[] | undefined;
  input: MergeRequestChange;
}

/** The row is read again within the transaction: a push or a merge may have come meanwhile. */
export async function applyChange(core: Core, tx: Tx, id: number, plan: Plan): Promise<MergeRequestRow> {
  const { userId, input } = plan;
  const now = core.clock.now();
  const before = await findMergeRequestById(tx, id);
  if (!before) throw fail.recordNotFound();
  const renewal = before.state === 'merged' ? null : plan.renewal;
  const changes = { ...plan.changes, ...(renewal && versionChanges(renewal)) };
  const state = stateChange(before, input.state_event, { userId, now });
  const updated = await updateMergeRequestRow(tx, id, {
    ...changes,
    ...state.changes,
    ...(renewal && nextVersion(before)),
    updated_at: now,
  });
  if (!updated) throw fail.recordNotFound();
  if (renewal) {
    await replaceCommits(tx, id, renewal.version.commits);
    await insertVersion(tx, updated, now);
  }
  const lists = await changeLists(tx, id, plan, now);
  await writeHistory(core, tx, { before, updated, lists, state: state.event, userId });
  await announceChange(core, tx, updated, {
    userId,
    state: state.event,
    fields: changedFields(before, changes),
    mentioned: newlyNamed(before, updated),
    lists,
  });
  return updated;
}

function stateChange(
  row: MergeRequestRow,
  event: MergeRequestChange['state_event'],
  { userId, now }: { userId: number; now: number },
): { changes: Changes; event: StateEvent } {
  if (event === 'close' && row.state === 'opened') {
    const changes = { state: 'closed', closed_by_id: userId, closed_at: now, auto_merge: null } as const;
    return { changes, event: 'merge_request.closed' };
  }
  if (event === 'reopen' && row.state === 'closed') {
    const changes = { state: 'opened', closed_by_id: null, closed_at: null } as const;
    return { changes, event: 'merge_request.reopened' };
  }
  return { changes: {}, event: null };
}

const versionChanges = ({ version: { commits: _, ...version }, target }: Renewal): Changes => ({
  ...version,
  ...(target !== null && { target_branch: target, auto_merge: null }),
});

/** Those of the lists that have changed. */
async function changeLists(tx: Tx, id: number, plan: Plan, now: number): Promise<Lists> {
  const { assignees: assigned, reviewers: reviewing, project, input, createLabels } = plan;
  const assignees = assigned && (await replacePeople(tx, 'assignees', id, { userIds: assigned, now }));
  const reviewers = reviewing && (await replacePeople(tx, 'reviewers', id, { userIds: reviewing, now }));
  const naming = { create: createLabels, now };
  const labels = await relabel(tx, { kind: 'merge_request', id, project }, input, naming);
  return {
    ...(isChange(assignees) && { assignees }),
    ...(isChange(reviewers) && { reviewers }),
    ...(isChange(labels) && { labels }),
  };
}

const isChange = (change: PeopleChange | undefined): change is PeopleChange =>
  change !== undefined && change.added.length + change.removed.length > 0;

/** What follows from other changes. */
const QUIET = new Set(['merge_status', 'merge_status_of', 'auto_merge']);

function changedFields(row: MergeRequestRow, changes: Changes): string[] {
  return Object.entries(changes)
    .filter(([key, value]) => !QUIET.has(key) && row[key as keyof MergeRequestRow] !== value)
    .map(([key]) => key);
}
