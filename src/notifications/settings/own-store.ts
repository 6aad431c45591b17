import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import { isAt, PLACE_SETTING, type PlaceSetting } from './place-store.ts';
import type { Place } from './resolve.ts';

/** PostgreSQL takes 65,535 parameters in a query, SQLite 32,766. */
const MAX_IDS = 10_000;

/** What these users have set for themselves, by one query for each ten thousand. */
export async function ownSettings(db: Queryable, userIds: readonly number[]): Promise<OwnRow[]> {
  const found: OwnRow[][] = [];
  for (let at = 0; at < userIds.length; at += MAX_IDS) {
    const ids = userIds.slice(at, at + MAX_IDS);
    found.push(await ownQuery(db).where('users.id', 'in', ids).execute());
  }
  return found.flat();
}

/** Everything that anybody has set at the place or at a group above it, with what he has set for himself. */
export function settingsAtWithOwn(db: Queryable, place: Place): Promise<(OwnRow & PlaceSetting)[]> {
  return ownQuery(db)
    .innerJoin('notification_settings as here', 'here.user_id', 'users.id')
    .select(PLACE_SETTING)
    .where(isAt(place, 'here'))
    .execute();
}

/** Of those who belong to the place (members, the owner of a personal project) and watch, or have chosen events, everywhere. */
export function ownSettingsOfWatchers(db: Queryable, place: Place, today: string): Promise<OwnRow[]> {
  return ownQuery(db)
    .where(sql<boolean>`users.id in (
      select user_id from members where ${isAt(place, 'members')} and ${watches('members.user_id')}
        and requested_at is null and (expires_at is null or expires_at > ${today})
      union all select owner_id from namespaces join projects on projects.namespace_id = namespaces.id
        where projects.id = ${place.projectId ?? 0} and owner_id is not null and ${watches('namespaces.owner_id')})`)
    .execute();
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
