import { membersOf } from '../../core/access/audience.ts';
import { Level } from '../../core/access/levels.ts';
import { findProjectById } from '../../core/projects/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { DeliveredEvent } from '../../platform/events/event.ts';
import { type Happening, NO_FACTS } from './happening.ts';
import { asCandidates } from './issuables.ts';

/** A project that has another address: whoever owns or maintains it is told, also who did it. */
export async function projectHappenings(
  { db, today }: { db: Queryable; today: string },
  { id: eventId, createdAt: at, payload }: DeliveredEvent<'project.updated'>,
): Promise<Happening[]> {
  const { projectId, changes } = payload;
  const project = changes.path && (await findProjectById(db, projectId));
  if (!changes.path || !project) return [];
  const [from, to] = changes.path;
  const levels = await membersOf(db, project, today);
  const keepers = [...levels].flatMap(([userId, level]) => (level >= Level.maintainer ? [userId] : []));
  return [
    {
      eventId,
      at,
      kind: 'moved_project',
      actorId: null,
      fromId: null,
      thing: {
        ...NO_FACTS,
        type: 'Project',
        projectId,
        id: projectId,
        iid: null,
        sha: null,
        title: project.name,
        path: '',
        reference: '',
        state: null,
        authorId: null,
        mayRead: (reader) => reader.can('read_project'),
      },
      ref: null,
      act: { from, to },
      audience: 'named',
      candidates: asCandidates(keepers, { capacity: 'custom', reason: 'maintains' }),
    },
  ];
}
