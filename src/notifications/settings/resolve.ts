import type { Person } from '../../core/access/audience.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Delivery } from '../notice.ts';
import { type EventBits, NOTHING_CHOSEN } from './event-names.ts';
import { DEFAULT_LEVEL, type NotificationLevel } from './levels.ts';
import { type OwnRow, ownSettings, ownSettingsOfWatchers, settingsAtWithOwn } from './own-store.ts';
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
  const resolved = new Map<number, ResolvedSetting>();
  for (const own of await ownSettings(db, ids)) resolved.set(own.id, ownSetting(own));
  refine(resolved, here, place);
  return resolved;
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
  const here = await settingsAtWithOwn(db, place);
  const resolved = new Map<number, ResolvedSetting>();
  for (const own of await ownSettingsOfWatchers(db, place, today)) resolved.set(own.id, ownSetting(own));
  for (const own of here) if (!resolved.has(own.id)) resolved.set(own.id, ownSetting(own));
  refine(resolved, here, place);
  for (const [id, { level }] of resolved) {
    if (level !== 'watch' && level !== 'custom') resolved.delete(id);
  }
  return resolved;
}

const OWN: SettingSource = { kind: 'user', id: null };
const NOBODYS: SettingSource = { kind: 'default', id: null };

/** What holds for a user wherever nothing nearer is set. */
export function ownSetting(row: OwnRow): ResolvedSetting {
  const { level, delivery } = row;
  const from = level === null ? NOBODYS : OWN;
  return {
    person: row,
    level: level ?? DEFAULT_LEVEL,
    events: eventBits(row.events_chosen ?? 0, row.events_on ?? 0),
    levelFrom: from,
    delivery: delivery === null || delivery === 'global' ? 'immediate' : delivery,
    deliveryFrom: from,
    email: row.chosen_email ?? row.email,
    ownActivity: row.own_activity === 1,
  };
}

/** Puts what is set nearer in the place of what users have set for themselves; level and delivery each by itself. */
function refine(
  settings: ReadonlyMap<number, ResolvedSetting>,
  here: readonly PlaceSetting[],
  place: Place,
): void {
  for (const [from, rows] of nearestFirst(here, place)) {
    for (const row of rows) {
      const setting = settings.get(row.here_user_id);
      if (setting === undefined) continue;
      if (row.here_level !== 'global' && isOwn(setting.levelFrom)) {
        setting.level = row.here_level;
        setting.events = eventBits(row.here_events_chosen, row.here_events_on);
        setting.levelFrom = from;
      }
      if (row.here_delivery !== 'global' && isOwn(setting.deliveryFrom)) {
        setting.delivery = row.here_delivery;
        setting.deliveryFrom = from;
      }
    }
  }
}

const isOwn = ({ kind }: SettingSource): boolean => kind === 'user' || kind === 'default';

/** The project's rows, those of the nearest group, and so on upwards. */
function nearestFirst(
  here: readonly PlaceSetting[],
  { projectId, groupIds }: Place,
): [SettingSource, readonly PlaceSetting[]][] {
  const rowsOf = Map.groupBy(here, (row) => row.here_group_id);
  return [
    [{ kind: 'project', id: projectId }, rowsOf.get(null) ?? []],
    ...groupIds.map((id): [SettingSource, PlaceSetting[]] => [{ kind: 'group', id }, rowsOf.get(id) ?? []]),
  ];
}

/** Most people choose none: those share one object. */
const eventBits = (chosen: number, on: number): EventBits =>
  chosen === 0 && on === 0 ? NOTHING_CHOSEN : { chosen, on };
