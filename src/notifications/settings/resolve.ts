import type { Person } from '../../core/access/audience.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Delivery } from '../notice.ts';
import type { EventBits } from './event-names.ts';
import type { NotificationLevel } from './levels.ts';
import { type OwnSetting, ownSettings, ownSettingsOfWatchers } from './own-store.ts';
import { type PlaceSetting, settingsAt } from './place-store.ts';

/** Where something happens: the project, if it is of one, and the groups above, the nearest first. */
export interface Place {
  projectId: number | null;
  groupIds: readonly number[];
}

/** Where a setting was made; `default` where nobody made one. */
export interface SettingSource {
  kind: 'project' | 'group' | 'user' | 'default';
  /** Of the project or group. */
  id: number | null;
}

/** What holds for one user at one place. */
export interface ResolvedSetting {
  person: Person;
  /** `global` only where it is the user's own level: then nothing is told but what he has subscribed to. */
  level: NotificationLevel;
  /** What `custom` goes by: of the same row as the level. */
  events: EventBits;
  levelFrom: SettingSource;
  delivery: Delivery;
  deliveryFrom: SettingSource;
  /** Where his mail goes. */
  email: string;
  /** Whether he wants to be told of what he did himself. */
  ownActivity: boolean;
}

/** More users than this are not named in the query: every setting at the place is read instead. */
const MAX_NAMED = 500;

/** What holds for each of these users, by two queries, and one more for each further ten thousand. Users who are gone are left out. */
export async function resolveLevels(
  db: Queryable,
  { userIds, ...place }: Place & { userIds: readonly number[] },
): Promise<Map<number, ResolvedSetting>> {
  if (userIds.length === 0) return new Map();
  const ids = [...new Set(userIds)];
  const here = await settingsAt(db, place, ids.length > MAX_NAMED ? null : ids);
  return resolveAll(place, here, await ownSettings(db, ids));
}

/**
 * Everybody who hears of what happens at this place without taking part: whose level here is `watch` or `custom`, and who is a
 * member, here or of a group above, or has set something there. A stranger who watches everything hears of nothing, as in
 * GitLab. Two queries. `today` is the day memberships must count on.
 */
export async function watchersOf(
  db: Queryable,
  { today, ...place }: Place & { today: string },
): Promise<Map<number, ResolvedSetting>> {
  const here = await settingsAt(db, place, null);
  const resolved = resolveAll(place, here, await ownSettingsOfWatchers(db, place, today));
  for (const [id, { level }] of resolved) {
    if (level !== 'watch' && level !== 'custom') resolved.delete(id);
  }
  return resolved;
}

const NOTHING: readonly PlaceSetting[] = [];

function resolveAll(
  place: Place,
  here: readonly PlaceSetting[],
  own: readonly OwnSetting[],
): Map<number, ResolvedSetting> {
  const byUser = Map.groupBy(here, ({ userId }) => userId);
  const resolved = new Map<number, ResolvedSetting>();
  for (const user of own) resolved.set(user.userId, resolve(place, byUser.get(user.userId) ?? NOTHING, user));
  return resolved;
}

/** The project's row, else that of the nearest group, else the user's own; for level and delivery each by itself. */
export function resolve(place: Place, here: readonly PlaceSetting[], own: OwnSetting): ResolvedSetting {
  const nearest = here.length > 1 ? inOrder(place, here) : here;
  const level = nearest.find((row) => row.level !== 'global');
  const delivery = nearest.find((row) => row.delivery !== 'global');
  return {
    person: own.person,
    level: level?.level ?? own.level,
    events: level?.events ?? own.events,
    levelFrom: sourceOf(level, own),
    delivery: asDelivery(delivery?.delivery) ?? own.delivery,
    deliveryFrom: sourceOf(delivery, own),
    email: own.email,
    ownActivity: own.ownActivity,
  };
}

function inOrder({ groupIds }: Place, rows: readonly PlaceSetting[]): PlaceSetting[] {
  const distance = ({ groupId }: PlaceSetting) => (groupId === null ? -1 : groupIds.indexOf(groupId));
  return [...rows].sort((a, b) => distance(a) - distance(b));
}

const OWN: SettingSource = { kind: 'user', id: null };
const NOBODYS: SettingSource = { kind: 'default', id: null };

function sourceOf(row: PlaceSetting | undefined, own: OwnSetting): SettingSource {
  if (row === undefined) return own.stored ? OWN : NOBODYS;
  return row.groupId === null ? { kind: 'project', id: row.projectId } : { kind: 'group', id: row.groupId };
}

const asDelivery = (delivery: Delivery | 'global' | undefined): Delivery | null =>
  delivery === undefined || delivery === 'global' ? null : delivery;
