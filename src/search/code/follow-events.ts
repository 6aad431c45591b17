import type { EventTypes } from '../../platform/events/event.ts';
import type { Events } from '../../platform/events/events.ts';
import { LogFollower } from '../../platform/events/log-follower.ts';
import type { Log } from '../../platform/log.ts';
import type { CorpusName } from './code-index.ts';
import '../../core/events.ts';
import '../../core/repository/events.ts';

const TYPES = ['ref.moved', 'wiki.moved', 'project.updated', 'project.deleted'] as const;
type FollowedType = (typeof TYPES)[number];

type Followed = { [T in FollowedType]: { type: T; payload: EventTypes[T] } }[FollowedType];

const BRANCHES = 'refs/heads/';

/**
 * The corpora that an event may have changed. Renames, transfers, archives and changes of visibility change none: repositories
 * stay where they are, and who may see what is asked of the database with each search.
 */
function corporaOf(event: Followed): CorpusName[] {
  const { projectId } = event.payload;
  switch (event.type) {
    // Which branch is the default one the indexer asks itself: the first push makes it so in the same transaction.
    case 'ref.moved':
      return event.payload.ref.startsWith(BRANCHES) ? [`project:${projectId}`] : [];
    case 'wiki.moved':
      return [`wiki:${projectId}`];
    case 'project.updated':
      return event.payload.changes.defaultBranch ? [`project:${projectId}`] : [];
    case 'project.deleted':
      return [`project:${projectId}`, `wiki:${projectId}`];
  }
}

/** Tells of what this process does, at its commit: a search right after a push must know that the index is behind. */
export function witnessOwnEvents(events: Events, touch: (name: CorpusName) => void): void {
  events.witness(TYPES, (event) => corporaOf(event as Followed).forEach(touch));
}

/** Tells of what all processes do: each has an index of its own. */
export const followAllEvents = (
  { events, log }: { events: Events; log: Log },
  touch: (name: CorpusName) => void,
) =>
  new LogFollower<FollowedType>({
    events,
    log,
    types: TYPES,
    name: 'code index',
    tell: (event) => corporaOf(event).forEach(touch),
  });
