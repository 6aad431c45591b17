import type { Core } from '../../core/core.ts';
import { deleteSettingAt } from './store.ts';

/** Who leaves a project or group takes what he has set there along, as in GitLab. */
export function forgetSettingsOfLeavers(core: Core): void {
  const { database, events } = core;
  events.subscribe('notifications.forget_settings', ['member.changed'], async ({ payload, createdAt }) => {
    const { userId, projectId, groupId, accessLevel } = payload;
    if (accessLevel !== null) return;
    // What he has set since he left stays: anybody may, where he may read.
    await database.transaction((tx) => deleteSettingAt(tx, { userId, projectId, groupId }, createdAt));
  });
}
