import type { Core } from '../../core/core.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { DeliveredEvent } from '../../platform/events/event.ts';
import type { NotificationSources } from '../sources.ts';
import type { Announcement, Tell } from '../tell.ts';
import { type AnnouncementDeps, announcementOf } from './announcement.ts';
import type { Happening } from './happening.ts';
import { ISSUE_EVENTS, type IssueEvent, issueHappenings } from './issues.ts';
import { MERGE_REQUEST_EVENTS, type MergeRequestEvent, mergeRequestHappenings } from './merge-requests.ts';
import { noteHappenings, reviewHappenings } from './notes.ts';
import { endedPipeline, pipelineHappening } from './pipelines.ts';
import { projectHappenings } from './projects.ts';

const TYPES = [
  ...ISSUE_EVENTS,
  ...MERGE_REQUEST_EVENTS,
  'note.created',
  'merge_request.reviewed',
  'pipeline.updated',
  'project.updated',
] as const;

type HappeningEvent = DeliveredEvent<(typeof TYPES)[number]>;

export interface FollowDeps {
  core: Core;
  sources: NotificationSources;
  tell: Tell;
}

/**
 * Tells people of what other rooms announce. An event may come twice: its notices are written once, by their number. One
 * subscriber for all kinds, so that what happens in a project is told in the order in which it happened.
 */
export function followHappenings({ core, sources, tell }: FollowDeps): void {
  core.events.subscribe('notifications', TYPES, async (event) => {
    const deps = {
      db: core.db,
      tracker: sources.tracker,
      today: core.access.today(),
      baseUrl: core.baseUrl(),
    };
    if (event.type === 'pipeline.updated') return tellOfPipeline({ core, sources, tell }, deps, event);
    const happenings = await happeningsOf(deps, event);
    const announcements: Announcement[] = [];
    for (const happening of happenings) {
      const announcement = await announcementOf(deps, happening);
      if (announcement) announcements.push(announcement);
    }
    if (announcements.length === 0) return;
    await core.database.transaction(async (tx) => {
      for (const announcement of announcements) await tell(tx, announcement);
    });
  });
}

type Others = Exclude<HappeningEvent, { type: 'pipeline.updated' }>;

function happeningsOf(deps: AnnouncementDeps, event: Others): Promise<Happening[]> {
  if (event.type === 'note.created') return noteHappenings(deps, event);
  if (event.type === 'merge_request.reviewed') return reviewHappenings(deps, event);
  if (event.type === 'project.updated') return projectHappenings(deps, event);
  if (isOf(ISSUE_EVENTS, event)) return issueHappenings(deps, event as IssueEvent);
  return mergeRequestHappenings(deps, event as MergeRequestEvent);
}

const isOf = (types: readonly string[], { type }: { type: string }): boolean => types.includes(type);

/** How the ref was before is read and written in the transaction that tells: both happen, or neither. */
async function tellOfPipeline(
  { core, sources, tell }: FollowDeps,
  deps: AnnouncementDeps,
  event: DeliveredEvent<'pipeline.updated'>,
): Promise<void> {
  const ended = await endedPipeline(sources, event);
  if (ended === null) return;
  await core.database.transaction(async (tx: Tx) => {
    const happening = await pipelineHappening(tx, ended);
    const announcement = happening && (await announcementOf({ ...deps, db: tx }, happening));
    if (announcement) await tell(tx, announcement);
  });
}
