import { zoneNamed } from './zone-names.ts';

const MAX_LENGTH = 255;

export interface Timing {
  /** Five fields, or a word such as `@daily`. */
  cron: string;
  /** A name of the IANA database, or of Rails. */
  timezone: string;
}

/** When it is due next after `from`, in ms; null for never. `cron` and `timezone` say what of the two cannot be read. */
export async function nextRun(
  { cron, timezone: name }: Timing,
  from: number,
): Promise<{ at: number | null } | { problem: 'cron' | 'timezone' }> {
  const timezone = zoneNamed(name);
  if (!isTimezone(timezone)) return { problem: 'timezone' };
  if (cron.length > MAX_LENGTH) return { problem: 'cron' };
  // loaded by the first schedule
  const { Cron } = await import('croner');
  try {
    const timing = new Cron(cron, { mode: '5-part', timezone, paused: true });
    return { at: timing.nextRun(new Date(from))?.getTime() ?? null };
  } catch {
    // croner tells by throwing that it cannot read a pattern
    return { problem: 'cron' };
  }
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // so the language tells that it does not know one
    return false;
  }
}
