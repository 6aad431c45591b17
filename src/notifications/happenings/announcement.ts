import { setImmediate as breathe } from 'node:timers/promises';
import { type Reader, readersOf } from '../../core/access/audience.ts';
import { traversalIds } from '../../core/access/store.ts';
import { groupSettings } from '../../core/groups/settings.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import { findProjectById } from '../../core/projects/store.ts';
import type { User } from '../../core/tables.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { NoticeBase, NoticeKind, NoticePerson, NoticeProject } from '../notice.ts';
import { type Recipient, recipientsOf } from '../recipients.ts';
import { type Place, type ResolvedSetting, resolveLevels, watchersOf } from '../settings/resolve.ts';
import type { TrackerSource } from '../sources.ts';
import type { Announcement } from '../tell.ts';
import { type Considered, candidatesOf } from './candidates.ts';
import type { Happening } from './happening.ts';
import { groupSettingsOf } from './names-store.ts';

export interface AnnouncementDeps {
  db: Queryable;
  tracker: TrackerSource;
  /** The day memberships must count on, `YYYY-MM-DD`. */
  today: string;
  baseUrl: string;
}

/** Somebody who cannot act (blocked, gone) begins nothing that others would be told of. */
const NEEDS_ACTOR: ReadonlySet<NoticeKind> = new Set([
  'new_issue',
  'new_merge_request',
  'mentioned_in_issue',
  'mentioned_in_merge_request',
]);

/**
 * What is to be told of a happening, and to whom; null where nobody is. The number of queries does not depend on how many belong
 * to the project or watch it.
 */
export async function announcementOf(
  deps: AnnouncementDeps,
  happening: Happening,
): Promise<Announcement | null> {
  const project = await findProjectById(deps.db, happening.thing.projectId);
  if (!project) return null;
  const place = placeOf(project);
  if (await isSilent(deps.db, project, place)) return null;
  const named = await peopleOf(deps.db, happening);
  if (NEEDS_ACTOR.has(happening.kind) && named.get(happening.actorId ?? 0)?.state !== 'active') return null;
  const watchers =
    happening.audience === 'everybody'
      ? await watchersOf(deps.db, { ...place, today: deps.today })
      : new Map<number, ResolvedSetting>();
  // ten thousand rows of SQLite come without a pause: requests get their turn after each of the long steps
  await breathe();
  const { candidates, unsubscribed } = await candidatesOf(deps, project, happening, watchers);
  const others = candidates.filter(({ userId }) => !watchers.has(userId)).map(({ userId }) => userId);
  const ofOthers = await resolveLevels(deps.db, { ...place, userIds: others });
  const settingOf = (userId: number) => watchers.get(userId) ?? ofOthers.get(userId);
  await breathe();
  const people = [...watchers.values(), ...ofOthers.values()].map(({ person }) => person);
  const readers = await readersOf(deps.db, project, { people, today: deps.today });
  await breathe();
  const recipients = choose(happening, { candidates, unsubscribed, settingOf, readers });
  if (recipients.length === 0) return null;
  return {
    notice: baseOf(happening, { project, people: named, baseUrl: deps.baseUrl }),
    receivers: recipients.map(({ userId, reason }) => {
      const { delivery, email } = settingOf(userId)!;
      return { userId, reason, delivery, address: email };
    }),
  };
}

function placeOf({ id, namespace_kind, traversal }: ProjectWithNamespace): Place {
  return { projectId: id, groupIds: namespace_kind === 'user' ? [] : traversalIds(traversal).reverse() };
}

/** Mail can be switched off for a project, and for a group with all that is below it. */
async function isSilent(db: Queryable, project: ProjectWithNamespace, { groupIds }: Place): Promise<boolean> {
  if (!projectSettings(project).emails_enabled) return true;
  return (await groupSettingsOf(db, groupIds)).some((group) => !groupSettings(group).emails_enabled);
}

function peopleOf(db: Queryable, { actorId, fromId, thing }: Happening): Promise<Map<number, User>> {
  return findUsersByIds(
    db,
    [actorId, fromId, thing.authorId].flatMap((id) => id ?? []),
  );
}

interface Known {
  candidates: readonly Considered[];
  unsubscribed: ReadonlySet<number>;
  settingOf: (userId: number) => ResolvedSetting | undefined;
  readers: ReadonlyMap<number, Reader>;
}

function choose(happening: Happening, { candidates, unsubscribed, settingOf, readers }: Known): Recipient[] {
  const { kind, actorId } = happening;
  return recipientsOf({
    kind,
    actorId,
    candidates: candidates.filter(
      ({ userId, internal }) => !internal || readers.get(userId)?.can('read_internal_note') === true,
    ),
    unsubscribed,
    standingOf(userId) {
      const choice = settingOf(userId);
      const reader = readers.get(userId);
      if (!choice || !reader) return undefined;
      return { choice, mayBeTold: mayBeTold(reader, happening), wantsOwn: choice.ownActivity };
    },
  });
}

/** No mail to anybody who could not look at it himself. */
function mayBeTold(reader: Reader, { thing, note }: Happening): boolean {
  const { state, bot } = reader.user;
  if (state !== 'active' || bot === 1 || !reader.visible || !thing.mayRead(reader)) return false;
  return !note?.internal || reader.can('read_internal_note');
}

function baseOf(
  happening: Happening,
  {
    project,
    people,
    baseUrl,
  }: { project: ProjectWithNamespace; people: ReadonlyMap<number, User>; baseUrl: string },
): NoticeBase {
  const { eventId, kind, at, fromId, act, note, thing } = happening;
  const told = presentProject(project, baseUrl);
  const { path, type, id, iid, sha, title, reference, state, confidential, authorId } = thing;
  const url = told.url + path;
  return {
    eventId,
    kind,
    at,
    act: note ? { ...act, url: `${url}#note_${note.id}` } : act,
    actor: presentPerson(people.get(fromId ?? 0)),
    project: told,
    thing: {
      type,
      id,
      iid,
      sha,
      title,
      reference,
      state,
      confidential,
      url,
      author: presentPerson(people.get(authorId ?? 0)),
    },
    noteId: note?.id ?? null,
    discussionId: note?.discussionId ?? null,
    earlierNoteIds: note?.earlierNoteIds ?? [],
  };
}

const presentPerson = (user: User | undefined): NoticePerson | null =>
  user ? { id: user.id, username: user.username, name: user.name } : null;

function presentProject(project: ProjectWithNamespace, baseUrl: string): NoticeProject {
  return {
    id: project.id,
    path: project.full_path,
    name: project.name,
    fullName: project.name_with_namespace,
    url: `${baseUrl}/${project.full_path}`,
    groupIds: [...placeOf(project).groupIds],
  };
}
