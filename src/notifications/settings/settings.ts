import type { Core } from '../../core/core.ts';
import type { User } from '../../core/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Static } from '../../platform/http/schema.ts';
import { changeSetting, type SettingInput } from './change.ts';
import { type NotificationSetting, type OwnNotificationSetting, presentSetting } from './entities.ts';
import { explain } from './explain.ts';
import { SettingsLookup } from './store.ts';

/** What the settings are for: a project, a group, or neither: everything. */
export interface Where {
  projectId: number | null;
  groupId: number | null;
  projectPath: string | null;
  /** The nearest first. */
  groupIds: readonly number[];
}

export const ANYWHERE: Where = { projectId: null, groupId: null, projectPath: null, groupIds: [] };

/** The settings of whoever calls. */
export class Settings {
  readonly #core: Core;
  readonly #lookup: SettingsLookup;

  constructor(core: Core) {
    this.#core = core;
    this.#lookup = new SettingsLookup(core.db);
  }

  change(user: User, where: Where, input: SettingInput): Promise<void> {
    const { projectId, groupId } = where;
    return changeSetting(this.#core, user, { userId: user.id, projectId, groupId }, input);
  }

  async readOwn(user: User, explained: boolean): Promise<Static<typeof OwnNotificationSetting>> {
    const own = await this.#lookup.own(user.id);
    // Deleted since the call began.
    if (!own) throw fail.unauthorized();
    const body = { ...presentSetting(own), notification_email: own.email };
    if (!explained) return body;
    const more = { delivery: own.delivery, notified_of_own_activity: own.ownActivity };
    return { ...body, ...more, ...(await this.#explanation(user, ANYWHERE)) };
  }

  async readAt(user: User, where: Where, explained: boolean): Promise<Static<typeof NotificationSetting>> {
    const row = await this.#lookup.at({ ...where, userId: user.id });
    const setting = row && {
      level: row.level,
      events: { chosen: row.events_chosen, on: row.events_on },
    };
    const body = setting ? presentSetting(setting) : ({ level: 'global' } as const);
    if (!explained) return body;
    return { ...body, delivery: row?.delivery ?? 'global', ...(await this.#explanation(user, where)) };
  }

  async #explanation(user: User, where: Where) {
    const explanation = await explain(this.#core, user.id, where);
    return explanation && { explanation };
  }
}
