import { optional, params } from '../../platform/http/params.ts';
import type { TProperties } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import { ApplicationSettingsEntity, presentSettings } from './entities.ts';
import { type ApplicationSettings, registry, settingNames } from './registry.ts';
import { settingsChangedAt } from './store.ts';

const settingParams: TProperties = Object.fromEntries(
  settingNames.map((name) => [name, optional(registry[name].param)]),
);

/** What an administrator sets while the service runs. Names that are not in the registry are ignored, as GitLab does. */
export function settingsRoutes(api: CoreApi, core: Core): void {
  const room = api.room('application settings');
  const path = '/application/settings';

  room.get(path, {
    summary: 'Settings of the whole service (administrators)',
    params: params({}),
    responses: { 200: ApplicationSettingsEntity },
    guard: core.guards.admin,
    handler: async () => presentSettings(await core.settings.current(), await settingsChangedAt(core.db)),
  });

  room.put(path, {
    summary: 'Change settings of the whole service (administrators)',
    params: params(settingParams),
    responses: { 200: ApplicationSettingsEntity },
    guard: core.guards.admin,
    handler: async ({ params: asked }) => {
      const settings = await core.settings.update(changesIn(asked), core.clock.now());
      return presentSettings(settings, await settingsChangedAt(core.db));
    },
  });
}

/** null clears a setting that may be empty, and says nothing of any other. */
function changesIn(asked: Record<string, unknown>): Partial<ApplicationSettings> {
  const meant = settingNames.filter(
    (name) => asked[name] !== undefined && (asked[name] !== null || registry[name].default === null),
  );
  return Object.fromEntries(meant.map((name) => [name, asked[name]]));
}
