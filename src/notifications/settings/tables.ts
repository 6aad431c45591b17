import type { Generated, Selectable } from 'kysely';
import type { Delivery } from '../notice.ts';
import type { NotificationLevel } from './levels.ts';

/** Of one user: his own row (neither group nor project), and one for each group and project where he set something. */
export interface NotificationSettingsTable {
  id: Generated<number>;
  user_id: number;
  project_id: number | null;
  group_id: number | null;
  level: NotificationLevel;
  /** `EventBits`. */
  events_chosen: Generated<number>;
  events_on: Generated<number>;
  /** `global`: as is said above. */
  delivery: Generated<Delivery | 'global'>;
  /** Of the own row: the additional address that mail goes to; null for the main one. */
  email_id: Generated<number | null>;
  /** Of the own row: 1 tells people of what they did themselves. */
  own_activity: Generated<number>;
  created_at: number;
  updated_at: number;
}

export type NotificationSettingRow = Selectable<NotificationSettingsTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    notification_settings: NotificationSettingsTable;
  }
}
