import { traversalIds } from '../../core/access/store.ts';
import type { Core, CoreApi, Room } from '../../core/core.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { NotificationSetting, OwnNotificationSetting } from './entities.ts';
import { EVENT_NAMES, type EventName } from './event-names.ts';
import { DELIVERIES } from './levels.ts';
import { ANYWHERE, Settings, type Where } from './settings.ts';

const flag = optional(param.boolean());
const events = Object.fromEntries(EVENT_NAMES.map((name) => [name, flag])) as Record<EventName, typeof flag>;

const explained = {
  explain: optional(
    param.boolean({
      description: 'Also tells what is in force here and where it comes from. Beyond GitLab.',
    }),
  ),
};

const level = optional(
  param.string({ description: 'disabled, participating, watch, global, mention or custom.' }),
);

const ownChanges = {
  level,
  notification_email: optional(
    param.string({ description: 'One of one’s own confirmed addresses; empty for the main one.' }),
  ),
  ...events,
  delivery: optional(
    param.oneOf(DELIVERIES, {
      description: 'When mail goes out: at once, a minute’s together, or as a digest. Beyond GitLab.',
    }),
  ),
  notified_of_own_activity: optional(
    param.boolean({ description: 'Mail about what one does oneself, too. Beyond GitLab.' }),
  ),
  ...explained,
};

const id = param.string({ description: 'Number or URL-encoded path.' });
const changes = {
  id,
  level,
  ...events,
  delivery: optional(
    param.oneOf(['global', ...DELIVERIES] as const, {
      description: 'When mail goes out; `global`: as is said above. Beyond GitLab.',
    }),
  ),
  ...explained,
};

/** How much each user wants to hear: everywhere, in a group, in a project. Always the caller's own settings. */
export function notificationSettingsRoutes(api: CoreApi, core: Core): void {
  const room = api.room('notification settings');
  const settings = new Settings(core);
  ownRoutes(room, settings);
  groupRoutes(room, core, settings);
  projectRoutes(room, core, settings);
}

function ownRoutes(room: Room, settings: Settings): void {
  const responses = { 200: OwnNotificationSetting };
  room.get('/notification_settings', {
    summary: 'Read one’s own notification settings',
    params: params(explained),
    responses,
    handler: ({ caller, params: asked }) => settings.readOwn(caller.user, asked.explain === true),
  });
  room.put('/notification_settings', {
    summary: 'Change one’s own notification settings',
    params: params(ownChanges),
    responses,
    handler: async ({ caller: { user }, params: asked }) => {
      await settings.change(user, ANYWHERE, {
        ...asked,
        events: asked,
        notificationEmail: asked.notification_email,
        ownActivity: asked.notified_of_own_activity,
      });
      return settings.readOwn(user, asked.explain === true);
    },
  });
}

function groupRoutes(room: Room, core: Core, settings: Settings): void {
  const path = '/groups/:id/notification_settings';
  const responses = { 200: NotificationSetting };
  const guard = core.guards.group();
  const placeOf = ({ group }: { group: { id: number; traversal: string } }): Where => ({
    projectId: null,
    projectPath: null,
    groupId: group.id,
    groupIds: upwards(group.traversal),
  });
  room.get(path, {
    summary: 'Read one’s own notification settings for a group',
    params: params({ id, ...explained }),
    responses,
    guard,
    handler: ({ caller, guarded, params: asked }) =>
      settings.readAt(caller.user, placeOf(guarded), asked.explain === true),
  });
  room.put(path, {
    summary: 'Change one’s own notification settings for a group',
    params: params(changes),
    responses,
    guard,
    handler: async ({ caller: { user }, guarded, params: asked }) => {
      const place = placeOf(guarded);
      await settings.change(user, place, { ...asked, events: asked });
      return settings.readAt(user, place, asked.explain === true);
    },
  });
}

function projectRoutes(room: Room, core: Core, settings: Settings): void {
  const path = '/projects/:id/notification_settings';
  const responses = { 200: NotificationSetting };
  const placeOf = ({ project }: { project: ProjectFacts }): Where => ({
    projectId: project.id,
    projectPath: project.full_path,
    groupId: null,
    groupIds: upwards(project.traversal),
  });
  room.get(path, {
    summary: 'Read one’s own notification settings for a project',
    params: params({ id, ...explained }),
    responses,
    guard: core.guards.project(),
    handler: ({ caller, guarded, params: asked }) =>
      settings.readAt(caller.user, placeOf(guarded), asked.explain === true),
  });
  room.put(path, {
    summary: 'Change one’s own notification settings for a project',
    description: 'Under a path that the project had before, too, as in GitLab.',
    params: params(changes),
    responses,
    guard: core.guards.projectByAnyPath,
    handler: async ({ caller: { user }, guarded, params: asked }) => {
      const place = placeOf(guarded);
      await settings.change(user, place, { ...asked, events: asked });
      return settings.readAt(user, place, asked.explain === true);
    },
  });
}

interface ProjectFacts {
  id: number;
  full_path: string;
  traversal: string;
}

const upwards = (traversal: string): number[] => traversalIds(traversal).reverse();
