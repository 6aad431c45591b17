import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Delivery } from '../notice.ts';
import type { NotificationLevel } from './levels.ts';
import type { Place } from './resolve.ts';

/** What a user has set at one project or group. */
export interface PlaceSetting {
  here_user_id: number;
  /** Null: at the project. */
  here_group_id: number | null;
  here_level: NotificationLevel;
  /** `EventBits`. */
  here_events_chosen: number;
  here_events_on: number;
  here_delivery: Delivery | 'global';
}

/** Of `notification_settings as here`. */
export const PLACE_SETTING = [
  'here.user_id as here_user_id',
  'here.group_id as here_group_id',
  'here.level as here_level',
  'here.events_chosen as here_events_chosen',
  'here.events_on as here_events_on',
  'here.delivery as here_delivery',
] as const;

/** Everything that these users (or, with null, all users) have set at the place or at a group above it. */
export function settingsAt(
  db: Queryable,
  place: Place,
  userIds: readonly number[] | null,
): Promise<PlaceSetting[]> {
  return db
    .selectFrom('notification_settings as here')
    .select(PLACE_SETTING)
    .where(isAt(place, 'here'))
    .$if(userIds !== null, (query) => query.where('user_id', 'in', userIds!))
    .execute();
}

/**
 * The condition "at the project or at one of the groups", of rows of `notification_settings as here` or of `members`. Only what
 * there is, is named: for `project_id = 1 or 1 = 0` SQLite reads the whole table (50 ms where 100,000 belong to other projects).
 */
export function isAt({ projectId, groupIds }: Place, table: 'here' | 'members'): Expression<SqlBool> {
  const group = table === 'here' ? sql`here.group_id` : sql`members.namespace_id`;
  const places = [
    ...(projectId === null ? [] : [sql`${sql.table(table)}.project_id = ${projectId}`]),
    ...(groupIds.length === 0 ? [] : [sql`${group} in (${sql.join(groupIds)})`]),
  ];
  return places.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(places, sql` or `)})`;
}
