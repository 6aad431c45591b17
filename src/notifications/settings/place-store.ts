import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Delivery } from '../notice.ts';
import type { EventBits } from './event-names.ts';
import type { NotificationLevel } from './levels.ts';
import type { Place } from './resolve.ts';

/** What a user has set at one project or group. */
export interface PlaceSetting {
  userId: number;
  projectId: number | null;
  groupId: number | null;
  level: NotificationLevel;
  events: EventBits;
  delivery: Delivery | 'global';
}

/** Everything that these users (or, with null, all users) have set at the place or at a group above it. */
export async function settingsAt(
  db: Queryable,
  place: Place,
  userIds: readonly number[] | null,
): Promise<PlaceSetting[]> {
  const rows = await db
    .selectFrom('notification_settings')
    .select(['user_id', 'group_id', 'level', 'events_chosen', 'events_on', 'delivery'])
    .where(isAt(place, 'group_id'))
    .$if(userIds !== null, (query) => query.where('user_id', 'in', userIds!))
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    projectId: row.group_id === null ? place.projectId : null,
    groupId: row.group_id,
    level: row.level,
    events: { chosen: row.events_chosen, on: row.events_on },
    delivery: row.delivery,
  }));
}

/**
 * The condition "at the project or at one of the groups"; members name their group `namespace_id`. Only what there is, is named:
 * for `project_id = 1 or 1 = 0` SQLite reads the whole table (50 ms where 100,000 belong to other projects).
 */
export function isAt(
  { projectId, groupIds }: Place,
  group: 'group_id' | 'namespace_id',
): Expression<SqlBool> {
  const places = [
    ...(projectId === null ? [] : [sql`project_id = ${projectId}`]),
    ...(groupIds.length === 0 ? [] : [sql`${sql.ref(group)} in (${sql.join(groupIds)})`]),
  ];
  return places.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(places, sql` or `)})`;
}
