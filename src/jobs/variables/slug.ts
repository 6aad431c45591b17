import { createHash } from 'node:crypto';

const SLUG_LENGTH = 63;
const ENVIRONMENT_SLUG_LENGTH = 24;

/** Fit for a host name: lower case, other letters as dashes, none at its ends. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');

/** The same for an environment: begins with a letter; where two names could come to one slug, a piece of a hash tells them apart. */
export function environmentSlug(name: string): string {
  const letters = name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .replace(/-+/g, '-');
  const begun = /^[a-z]/.test(letters) ? letters : `env-${letters.replace(/^-/, '')}`;
  if (begun === name && begun.length <= ENVIRONMENT_SLUG_LENGTH) return begun.replace(/-$/, '');
  const suffix = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`)
    .toString(36)
    .slice(-6);
  return `${begun.slice(0, ENVIRONMENT_SLUG_LENGTH - 7).replace(/-$/, '')}-${suffix}`;
}
