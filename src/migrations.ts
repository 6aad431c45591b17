import { type Migration, readMigrations } from './platform/db/migrate.ts';

/** Folders of numbered SQL in the order of the rooms; numbers are unique over all of them. */
const folders = [
  './platform/events/migrations',
  './core/migrations',
  './tracker/migrations',
  './jobs/migrations',
  './commits/migrations',
  './search/migrations',
  './notifications/migrations',
];

/** The whole schema of the service, oldest step first. */
export function allMigrations(): Migration[] {
  return folders.flatMap((folder) => readMigrations(new URL(folder, import.meta.url)));
}
