import { sql } from 'kysely';
import type { Person } from '../../core/access/audience.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Delivery } from '../notice.ts';
import { type EventBits, NOTHING_CHOSEN } from './event-names.ts';
import { DEFAULT_LEVEL, type NotificationLevel } from './levels.ts';
import { isAt } from './place-store.ts';
import type { Place } from './resolve.ts';

/** What a user has set for himself, wherever nothing nearer is set. */
export interface OwnSetting {
  userId: number;
  /** He himself, as he was read with it. */
  person: Person;
  level: NotificationLevel;
  events: EventBits;
  delivery: Delivery;
  email: string;
  ownActivity: boolean;
  /** False: he has set nothing yet. */
  stored: boolean;
}

/** PostgreSQL takes 65,535 parameters in a query, SQLite 32,766. */
const MAX_IDS = 10_000;

/** Of these users, by one query for each ten thousand. */
export async function ownSettings(db: Queryable, userIds: readonly number[]): Promise<OwnSetting[]> {
  const found: OwnSetting[] = [];
  for (let at = 0; at < userIds.length; at += MAX_IDS) {
    const ids = userIds.slice(at, at + MAX_IDS);
    const rows = await ownQuery(db).where('users.id', 'in', ids).execute();
    for (const row of rows) found.push(ownSettingOf(row));
  }
  return found;
}

/**
 * Of those who belong to the place (members, the owner of a personal project, whoever has set something there) and may come
 * to `watch` or `custom` there, by one query.
 */
export async function ownSettingsOfWatchers(
  db: Queryable,
  place: Place,
  today: string,
): Promise<OwnSetting[]> {
  const rows = await ownQuery(db)
    .where(sql<boolean>`users.id in (
      select user_id from notification_settings where ${isAt(place, 'group_id')} and level in ('watch', 'custom')
      union all select user_id from notification_settings as here where ${isAt(place, 'group_id')} and ${watches('here.user_id')}
      union all select user_id from members where ${isAt(place, 'namespace_id')} and ${watches('members.user_id')}
        and requested_at is null and (expires_at is null or expires_at > ${today})
      union all select owner_id from namespaces join projects on projects.namespace_id = namespaces.id
        where projects.id = ${place.projectId ?? 0} and owner_id is not null and ${watches('namespaces.owner_id')})`)
    .execute();
  return rows.map(ownSettingOf);
}

/** Whether somebody watches, or has chosen events, wherever nothing nearer is set. */
const watches = (userId: string) => sql<boolean>`exists (
  select 1 from notification_settings as mine
  where mine.user_id = ${sql.ref(userId)} and mine.project_id is null and mine.group_id is null
  and mine.level in ('watch', 'custom'))`;

/** One row a user, whether he has set anything or not. */
export const ownQuery = (db: Queryable) =>
  db
    .selectFrom('users')
    .leftJoin('notification_settings as own', (join) =>
      join
        .onRef('own.user_id', '=', 'users.id')
        .on('own.project_id', 'is', null)
        .on('own.group_id', 'is', null),
    )
    .leftJoin('user_emails', (join) =>
      join.onRef('user_emails.id', '=', 'own.email_id').on('user_emails.confirmed_at', 'is not', null),
    )
    .select([
      'users.id',
      'users.state',
      'users.is_admin',
      'users.external',
      'users.bot',
      'users.email',
      'user_emails.email as chosen_email',
      'own.level',
      'own.events_chosen',
      'own.events_on',
      'own.delivery',
      'own.own_activity',
    ]);

export type OwnRow = Awaited<ReturnType<ReturnType<typeof ownQuery>['execute']>>[number];

export const ownSettingOf = (row: OwnRow): OwnSetting => ({
  userId: row.id,
  person: row,
  level: row.level ?? DEFAULT_LEVEL,
  events:
    row.events_chosen === null || row.events_on === null
      ? NOTHING_CHOSEN
      : { chosen: row.events_chosen, on: row.events_on },
  delivery: row.delivery === null || row.delivery === 'global' ? 'immediate' : row.delivery,
  email: row.chosen_email ?? row.email,
  ownActivity: row.own_activity === 1,
  stored: row.level !== null,
});
