import type { DeliveredEvent } from '../../platform/events/event.ts';
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

export const MERGE_REQUEST_EVENTS = [
  'merge_request.opened',
  'merge_request.updated',
  'merge_request.merged',
  'merge_request.closed',
  'merge_request.reopened',
  'merge_request.approved',
  'merge_request.unapproved',
  'merge_request.threads_resolved',
  'merge_request.auto_merge_enabled',
] as const;

export type MergeRequestEvent = DeliveredEvent<(typeof MERGE_REQUEST_EVENTS)[number]>;

/** What an event of a merge request means to people; nothing where it is gone. */
export async function mergeRequestHappenings(
  deps: HappeningDeps,
  event: MergeRequestEvent,
): Promise<Happening[]> {
  const ref = { type: 'MergeRequest', id: event.payload.mergeRequestId } as const;
  const thing = await deps.tracker.thing(ref);
  if (thing === null) return [];
  const told = { eventId: event.id, at: event.createdAt, userId: event.payload.userId };
  const about: About = { thing, ref, told };
  switch (event.type) {
    case 'merge_request.opened':
      return [await opened(deps, about, 'new_merge_request')];
    case 'merge_request.updated':
      return updated(deps, about, event.payload);
    case 'merge_request.merged':
      return [merged(about, event.payload.automatic)];
    case 'merge_request.closed':
      return [done(about, 'close_merge_request')];
    case 'merge_request.reopened':
      return [done(about, 'reopen_merge_request')];
    case 'merge_request.approved':
      return [done(about, 'approve_merge_request')];
    case 'merge_request.unapproved':
      return [done(about, 'unapprove_merge_request')];
    case 'merge_request.threads_resolved':
      return [done(about, 'resolve_all_discussions')];
    case 'merge_request.auto_merge_enabled':
      return [done(about, 'merge_when_pipeline_succeeds')];
  }
}

/** Who left it to be merged later does not know when it was, so that nobody counts as acting. */
function merged(about: About, automatic: boolean): Happening {
  const happening = done(about, 'merge_merge_request');
  return automatic ? { ...happening, actorId: null } : happening;
}

type Update = Extract<MergeRequestEvent, { type: 'merge_request.updated' }>['payload'];

async function updated(deps: HappeningDeps, about: About, payload: Update): Promise<Happening[]> {
  const { assignees, reviewers, labels, mentioned, pushed, changes } = payload;
  const { milestone, draft } = about.thing;
  return [
    ...(pushed ? [push(about, pushed)] : []),
    ...(assignees
      ? [
          await reassigned(deps, about, {
            kind: 'reassign_merge_request',
            reason: 'assigned',
            change: assignees,
          }),
        ]
      : []),
    ...(reviewers
      ? [
          await reassigned(deps, about, {
            kind: 'change_reviewer_merge_request',
            reason: 'review_requested',
            change: reviewers,
          }),
        ]
      : []),
    ...(labels ? await relabeled(deps, about, { kind: 'relabel_merge_request', change: labels }) : []),
    ...(changes.includes('milestone_id')
      ? [done(about, 'change_milestone_merge_request', { milestone })]
      : []),
    ...(changes.includes('draft') ? [done(about, 'change_draft_merge_request', { draft })] : []),
    ...(mentioned ? [newlyNamed(about, 'mentioned_in_merge_request', mentioned)] : []),
  ];
}

const push = (about: About, { commits, count }: NonNullable<Update['pushed']>): Happening =>
  done(about, 'push_to_merge_request', { commits, commitCount: count });
