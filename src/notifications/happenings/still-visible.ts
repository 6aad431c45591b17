import { type Reader, readersOf } from '../../core/access/audience.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { findUser } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Notice } from '../notice.ts';
import type { ThingRef, TrackerSource } from '../sources.ts';

export interface VisibleDeps {
  db: Queryable;
  tracker: TrackerSource;
  /** The day memberships must count on, `YYYY-MM-DD`. */
  today: () => string;
}

/** Those of the notices that the user could look at himself by now; see `StillVisible` of the digests. */
export async function stillVisible(
  deps: VisibleDeps,
  userId: number,
  notices: readonly Notice[],
): Promise<Notice[]> {
  const visible = new Set<Notice>();
  for (const [projectId, ofProject] of Map.groupBy(notices, ({ project }) => project.id)) {
    const reader = await readerOf(deps, userId, projectId);
    if (reader?.user.state !== 'active' || !reader.visible) continue;
    for (const ofThing of Map.groupBy(ofProject, keyOf).values()) {
      if (!(await mayReadThing(deps, reader, ofThing[0]!))) continue;
      for (const notice of ofThing) if (await mayReadNote(deps, reader, notice)) visible.add(notice);
    }
  }
  return notices.filter((notice) => visible.has(notice));
}

async function readerOf(
  { db, today }: VisibleDeps,
  userId: number,
  projectId: number,
): Promise<Reader | undefined> {
  const project = await findProjectById(db, projectId);
  const user = await findUser(db, userId);
  if (!project || !user) return undefined;
  return (await readersOf(db, project, { people: [user], today: today() })).get(userId);
}

const keyOf = ({ thing: { type, id, sha } }: Notice): string => `${type} ${id ?? sha}`;

async function mayReadThing({ tracker }: VisibleDeps, reader: Reader, notice: Notice): Promise<boolean> {
  const { type } = notice.thing;
  if (type === 'Project') return reader.can('read_project');
  if (type === 'Pipeline') return reader.can('read_build');
  const ref = refOf(notice);
  const thing = ref && (await tracker.thing(ref));
  return thing?.mayRead(reader) === true;
}

function refOf({ project, thing: { type, id, sha } }: Notice): ThingRef | null {
  if (type === 'Commit') return sha === null ? null : { type, projectId: project.id, sha };
  if (type === 'Pipeline' || type === 'Project' || id === null) return null;
  return { type, id };
}

/** What was deleted meanwhile is told no more. */
async function mayReadNote({ tracker }: VisibleDeps, reader: Reader, { noteId }: Notice): Promise<boolean> {
  if (noteId === null) return true;
  const note = await tracker.note(noteId);
  return note !== null && (!note.internal || reader.can('read_internal_note'));
}
