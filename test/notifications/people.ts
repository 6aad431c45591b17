import type { Core } from '../../src/core/core.ts';
import { EVENT_NAMES } from '../../src/notifications/settings/event-names.ts';
import { RELATIONS, type Relation, SETTINGS, type Setting } from './rules.ts';

export const PLACES = ['user', 'group', 'project'] as const;
/** Where the setting was made that counts. */
export type SetAt = (typeof PLACES)[number];

export interface Person {
  id: number;
  username: string;
  relation: Relation;
  setting: Setting;
  setAt: SetAt;
}

const ALL_BITS = 2 ** EVENT_NAMES.length - 1;

/** Level and bits as a row has them. */
function columnsOf(setting: Setting) {
  const level = setting.startsWith('custom') ? 'custom' : setting;
  const chosen = setting.startsWith('custom with') && !setting.includes('without') ? ALL_BITS : 0;
  return {
    level: level as 'watch',
    events_chosen: chosen,
    events_on: setting === 'custom with all events' ? ALL_BITS : 0,
  };
}

/** What is set further away and must not count. */
const decoyOf = (setting: Setting): Setting => (setting === 'watch' ? 'disabled' : 'watch');

/**
 * A member of the group for every setting, wherever it can be made, in every relation. Further away each has set the opposite.
 */
export async function makePeople(
  { db, clock }: Pick<Core, 'db' | 'clock'>,
  { groupId, projectId }: { groupId: number; projectId: number },
): Promise<Person[]> {
  const kinds = RELATIONS.flatMap((relation) =>
    SETTINGS.flatMap((setting) =>
      PLACES.filter((setAt) => setAt === 'user' || setting !== 'global').map((setAt) => ({
        relation,
        setting,
        setAt,
      })),
    ),
  );
  const now = clock.now();
  const rows = kinds.map((_, index) => ({
    username: `p${index}`,
    name: `Person ${index}`,
    email: `p${index}@example.test`,
    public_email: null,
    note: null,
    confirmed_at: now,
    last_activity_on: null,
    created_at: now,
    updated_at: now,
  }));
  const made = await db.insertInto('users').values(rows).returning(['id', 'username']).execute();
  const ids = new Map(made.map(({ id, username }) => [username, id]));
  const people = kinds.map((kind, index) => ({ ...kind, id: ids.get(`p${index}`)!, username: `p${index}` }));
  await db
    .insertInto('namespaces')
    .values(people.map((person) => namespaceOf(person, now)))
    .execute();
  await db
    .insertInto('members')
    .values(people.map(({ id }) => memberOf(id, groupId, now)))
    .execute();
  const settings = people.flatMap((person) => settingsOf(person, { groupId, projectId, now }));
  await db.insertInto('notification_settings').values(settings).execute();
  return people;
}

const namespaceOf = ({ id, username }: Person, now: number) => ({
  kind: 'user' as const,
  parent_id: null,
  owner_id: id,
  name: username,
  path: username,
  full_path: username,
  full_name: username,
  traversal: `/personal-${id}/`,
  created_at: now,
  updated_at: now,
});

const memberOf = (userId: number, groupId: number, now: number) => ({
  user_id: userId,
  namespace_id: groupId,
  project_id: null,
  access_level: 30,
  expires_at: null,
  requested_at: null,
  created_by_id: null,
  created_at: now,
});

function settingsOf(
  { id, setting, setAt, relation }: Person,
  { groupId, projectId, now }: { groupId: number; projectId: number; now: number },
) {
  const rows = {
    user: { project_id: null, group_id: null },
    group: { project_id: null, group_id: groupId },
    project: { project_id: projectId, group_id: null },
  };
  const further =
    setAt === 'user' ? [] : setAt === 'group' ? (['user'] as const) : (['user', 'group'] as const);
  const row = (place: SetAt, chosen: Setting) => ({
    user_id: id,
    ...rows[place],
    ...columnsOf(chosen),
    own_activity: place === 'user' && relation.endsWith('wants to be told of it') ? 1 : 0,
    created_at: now,
    updated_at: now,
  });
  return [row(setAt, setting), ...further.map((place) => row(place, decoyOf(setting)))];
}
