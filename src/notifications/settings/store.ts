import { type RawBuilder, sql } from 'kysely';
import { type PreparedQuery, prepared } from '../../platform/db/prepared.ts';
import type { Db, Tx } from '../../platform/db/tables.ts';
import type { Delivery } from '../notice.ts';
import type { EventBits } from './event-names.ts';
import { DEFAULT_LEVEL, type NotificationLevel } from './levels.ts';
import { type OwnRow, ownQuery } from './own-store.ts';
import { ownSetting, type ResolvedSetting } from './resolve.ts';
import type { NotificationSettingRow } from './tables.ts';

/** Whose setting, and where: at a project, at a group, or (neither) his own for everything. */
export interface SettingKey {
  userId: number;
  projectId: number | null;
  groupId: number | null;
}

/** What a row is changed by; what is left out stays as it is. */
export interface RowChanges {
  level: NotificationLevel | undefined;
  events: EventBits & { touched: number };
  delivery: Delivery | 'global' | undefined;
  emailId: number | null | undefined;
  ownActivity: boolean | undefined;
}

/**
 * Makes the row or changes it, in one statement that names only what changes: of two who write at once neither undoes what the
 * other one did, not even between two events of one row.
 */
export function writeSetting(
  tx: Tx,
  key: SettingKey,
  changes: RowChanges,
  now: number,
): Promise<NotificationSettingRow> {
  const { level, events, delivery, emailId, ownActivity } = changes;
  const isOwn = key.projectId === null && key.groupId === null;
  const given = {
    ...(level !== undefined && { level }),
    ...(delivery !== undefined && { delivery }),
    ...(emailId !== undefined && { email_id: emailId }),
    ...(ownActivity !== undefined && { own_activity: Number(ownActivity) }),
  };
  return tx
    .insertInto('notification_settings')
    .values({
      user_id: key.userId,
      project_id: key.projectId,
      group_id: key.groupId,
      level: isOwn ? DEFAULT_LEVEL : 'global',
      delivery: isOwn ? 'immediate' : 'global',
      events_chosen: events.chosen,
      events_on: events.on,
      created_at: now,
      updated_at: now,
      ...given,
    })
    .onConflict((conflict) => {
      const at =
        key.projectId !== null
          ? conflict.columns(['project_id', 'user_id']).where('project_id', 'is not', null)
          : key.groupId !== null
            ? conflict.columns(['group_id', 'user_id']).where('group_id', 'is not', null)
            : conflict.column('user_id').where('project_id', 'is', null).where('group_id', 'is', null);
      return at.doUpdateSet({
        events_chosen: withBits('events_chosen', events.touched, events.chosen),
        events_on: withBits('events_on', events.touched, events.on),
        updated_at: now,
        ...given,
      });
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The column with the touched bits taken out and these put in. */
const withBits = (column: 'events_chosen' | 'events_on', touched: number, bits: number): RawBuilder<number> =>
  sql<number>`(${sql.ref(`notification_settings.${column}`)} & ${~touched}) | ${bits}`;

/** Deletes what was set at a project or group by that time. */
export async function deleteSettingAt(tx: Tx, key: SettingKey, until: number): Promise<void> {
  await tx
    .deleteFrom('notification_settings')
    .where('user_id', '=', key.userId)
    .where('project_id', key.projectId === null ? 'is' : '=', key.projectId)
    .where('group_id', key.groupId === null ? 'is' : '=', key.groupId)
    .where('updated_at', '<=', until)
    .execute();
}

/** Reads of one user's settings, composed once: every call of the routes asks one of them. */
export class SettingsLookup {
  readonly #own: PreparedQuery<{ userId: number }, OwnRow>;
  readonly #atProject: PreparedQuery<{ userId: number; id: number }, NotificationSettingRow>;
  readonly #atGroup: PreparedQuery<{ userId: number; id: number }, NotificationSettingRow>;

  constructor(db: Db) {
    this.#own = prepared(db, (on, at: { userId: number }) => ownQuery(on).where('users.id', '=', at.userId));
    const at = (column: 'project_id' | 'group_id') =>
      prepared(db, (on, key: { userId: number; id: number }) =>
        on
          .selectFrom('notification_settings')
          .selectAll()
          .where(column, '=', key.id)
          .where('user_id', '=', key.userId),
      );
    this.#atProject = at('project_id');
    this.#atGroup = at('group_id');
  }

  /** Undefined: the user is gone. */
  async own(userId: number): Promise<ResolvedSetting | undefined> {
    const [row] = await this.#own({ userId });
    return row && ownSetting(row);
  }

  async at({ userId, projectId, groupId }: SettingKey): Promise<NotificationSettingRow | undefined> {
    const [row] = await (projectId === null
      ? this.#atGroup({ userId, id: groupId ?? 0 })
      : this.#atProject({ userId, id: projectId }));
    return row;
  }
}
