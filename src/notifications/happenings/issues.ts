import { findProjectById } from '../../core/projects/store.ts';
import type { DeliveredEvent } from '../../platform/events/event.ts';
import type { ThingFacts } from '../sources.ts';
import type { Happening } from './happening.ts';
import {
  type About,
  done,
  type HappeningDeps,
  newlyNamed,
  opened,
  reassigned,
  relabeled,
} from './issuables.ts';

export const ISSUE_EVENTS = [
  'issue.opened',
  'issue.updated',
  'issue.closed',
  'issue.reopened',
  'issue.moved',
  'issue.cloned',
  'issue.due',
] as const;

export type IssueEvent = DeliveredEvent<(typeof ISSUE_EVENTS)[number]>;

/** What an event of an issue means to people; nothing where the issue is gone. */
export async function issueHappenings(deps: HappeningDeps, event: IssueEvent): Promise<Happening[]> {
  const ref = { type: 'Issue', id: event.payload.issueId } as const;
  const thing = await deps.tracker.thing(ref);
  if (thing === null) return [];
  const told = { eventId: event.id, at: event.createdAt, userId: event.payload.userId };
  const about: About = { thing, ref, told };
  switch (event.type) {
    case 'issue.opened':
      return [await opened(deps, about, 'new_issue')];
    case 'issue.updated':
      return updated(deps, about, event.payload);
    case 'issue.closed':
      return [done(about, 'close_issue', await closedBy(deps, thing, event.payload.mergeRequestId))];
    case 'issue.reopened':
      return [done(about, 'reopen_issue')];
    case 'issue.moved':
      return [done(about, 'move_issue', await whereTo(deps, event.payload))];
    case 'issue.cloned':
      return [done(about, 'clone_issue', await whereTo(deps, event.payload))];
    case 'issue.due':
      return thing.state === 'opened' ? [due(about)] : [];
  }
}

type Update = Extract<IssueEvent, { type: 'issue.updated' }>['payload'];

async function updated(deps: HappeningDeps, about: About, payload: Update): Promise<Happening[]> {
  const { assignees, labels, mentioned, changes } = payload;
  const { milestone } = about.thing;
  return [
    ...(assignees
      ? [await reassigned(deps, about, { kind: 'reassign_issue', reason: 'assigned', change: assignees })]
      : []),
    ...(labels ? await relabeled(deps, about, { kind: 'relabel_issue', change: labels }) : []),
    ...(changes.includes('milestone_id') ? [done(about, 'change_milestone_issue', { milestone })] : []),
    ...(mentioned ? [newlyNamed(about, 'mentioned_in_issue', mentioned)] : []),
  ];
}

/** Nobody has done it: everybody is told, and it comes from the issue's author, as in GitLab. */
function due(about: About): Happening {
  const { dueDate, authorId } = about.thing;
  return {
    ...done(about, 'issue_due', dueDate === null ? {} : { dueDate }),
    actorId: null,
    fromId: authorId,
  };
}

/** Only of the same project: others may be hidden from who is told. */
async function closedBy(
  { tracker }: HappeningDeps,
  thing: ThingFacts,
  mergeRequestId: number | undefined,
): Promise<{ by?: string }> {
  if (mergeRequestId === undefined) return {};
  const by = await tracker.thing({ type: 'MergeRequest', id: mergeRequestId });
  return by?.projectId === thing.projectId ? { by: by.reference } : {};
}

/** Where it went is said where everybody may see it. */
async function whereTo(
  { db, tracker }: HappeningDeps,
  { toProjectId, toIssueId }: { toProjectId: number; toIssueId: number },
): Promise<{ to?: string }> {
  const project = await findProjectById(db, toProjectId);
  const issue = await tracker.thing({ type: 'Issue', id: toIssueId });
  if (project?.visibility !== 'public' || !issue || issue.confidential) return {};
  return { to: `${project.full_path}${issue.reference}` };
}
