import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import type { InProject } from '../../../core/guards.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { fail } from '../../../platform/errors.ts';
import { systemNote } from '../../notes/system-note.ts';
import { recordHistory } from '../../resource-events/record.ts';
import { deedOn, idsOf } from '../announce.ts';
import { stateChange } from '../state.ts';
import { findIssueById, updateIssueRow } from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { copyIssue, packFor } from './copy.ts';
import { copyNotes, copyReactionsAndTime } from './copy-store.ts';
import '../../events.ts';

interface Asked {
  caller: Caller;
  from: InProject;
  toProjectId: number;
}

/**
 * Goes on with an issue in another project: a new one there with all that was written, the old one closed and pointing to it.
 * Throws 404 for a project that is not there for the caller, 400 where he may not.
 */
export async function moveIssue(
  core: Core,
  issue: IssueRow,
  { caller, from, toProjectId }: Asked,
): Promise<IssueRow> {
  if (toProjectId === issue.project_id) {
    throw fail.refused('Cannot move issue to project it originates from!');
  }
  const target = await targetOf(core, { caller, from, toProjectId }, 'move');
  const luggage = await packFor(core, issue, target);
  const userId = caller.user.id;
  return core.database.transaction(async (tx) => {
    const before = await findIssueById(tx, issue.id);
    if (!before) throw fail.recordNotFound();
    if (before.moved_to_id !== null) throw mayNot('move');
    const { author_id: authorId, created_at: createdAt } = before;
    const copy = await copyIssue(core, tx, before, { target, luggage, authorId, createdAt, userId });
    await copyNotes(tx, before, copy);
    await copyReactionsAndTime(tx, before, copy);
    const now = core.clock.now();
    const { changes, event } = stateChange(before, 'close', { userId, now });
    await updateIssueRow(tx, before.id, { ...changes, moved_to_id: copy.id, updated_at: now });
    if (event) await recordHistory(tx, deedOn(before, userId, now), { state: 'closed' });
    await noteBoth(core, tx, { issue: before, project: from.project, copy, target, userId, deed: 'moved' });
    await announce(core, tx, 'issue.moved', { issue: before, copy, userId });
    return copy;
  });
}

/** A new issue of the caller's own, in any project; with the notes of the old one if asked for. Throws as `moveIssue` does. */
export async function cloneIssue(
  core: Core,
  issue: IssueRow,
  { withNotes, ...asked }: Asked & { withNotes: boolean },
): Promise<IssueRow> {
  const target = await targetOf(core, asked, 'clone');
  const luggage = await packFor(core, issue, target);
  const userId = asked.caller.user.id;
  return core.database.transaction(async (tx) => {
    const createdAt = core.clock.now();
    const copy = await copyIssue(core, tx, issue, { target, luggage, authorId: userId, createdAt, userId });
    if (withNotes) await copyNotes(tx, issue, copy);
    await noteBoth(core, tx, { issue, project: asked.from.project, copy, target, userId, deed: 'cloned' });
    await announce(core, tx, 'issue.cloned', { issue, copy, userId });
    return copy;
  });
}

async function announce(
  { events }: Core,
  tx: Tx,
  type: 'issue.moved' | 'issue.cloned',
  { issue, copy, userId }: Pick<Pair, 'issue' | 'copy' | 'userId'>,
): Promise<void> {
  const payload = { ...idsOf(issue, userId), toProjectId: copy.project_id, toIssueId: copy.id };
  await events.publish(tx, { type, stream: projectStream(issue.project_id), payload });
}

async function targetOf(
  core: Core,
  { caller, from, toProjectId }: Asked,
  deed: 'move' | 'clone',
): Promise<ProjectWithNamespace> {
  const target = await findProjectById(core.db, toProjectId);
  if (!target) throw fail.notFound('Project');
  const access = await core.access.project(caller, target);
  if (!access.visible) throw fail.notFound('Project');
  if (!from.access.can('update_issue') || !access.can('update_issue')) throw mayNot(deed);
  return target;
}

const mayNot = (deed: 'move' | 'clone') =>
  fail.refused(`Cannot ${deed} issue due to insufficient permissions!`);

interface Pair {
  issue: IssueRow;
  project: ProjectWithNamespace;
  copy: IssueRow;
  target: ProjectWithNamespace;
  userId: number;
  deed: 'moved' | 'cloned';
}

async function noteBoth(
  core: Core,
  tx: Tx,
  { issue, project, copy, target, userId, deed }: Pair,
): Promise<void> {
  const note = (on: IssueRow, body: string) => {
    const noteable = { projectId: on.project_id, type: 'Issue', id: on.id, iid: on.iid } as const;
    return systemNote(tx, core, { noteable, authorId: userId, body });
  };
  await note(issue, `${deed} to ${target.full_path}#${copy.iid}`);
  await note(copy, `${deed} from ${project.full_path}#${issue.iid}`);
}
