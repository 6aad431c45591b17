import { readFileSync } from 'node:fs';

/**
 * The GitLab whose API is spoken here, which is what clients compare with the least they need. Renovate cuts it at the dash
 * and reads the rest as a semantic version.
 */
export const GITLAB_VERSION = '17.11.0-ingot';

/** The service's own version, from its package. */
export const ingotVersion: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
