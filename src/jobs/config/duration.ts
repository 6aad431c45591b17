/** Durations as GitLab reads them (the grammar of Ruby's ChronicDuration): `1h 30m`, `2 hrs 20 min`, `3 mos 4 sec`, `1:30:00`. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: [names: RegExp, seconds: number][] = [
  [/^(?:seconds?|secs?|s)$/, 1],
  [/^(?:minutes?|mins?|m)$/, MINUTE],
  [/^(?:hours?|hrs?|h)$/, HOUR],
  [/^(?:days?|dys?|d)$/, DAY],
  [/^(?:weeks?|wks?|w)$/, 7 * DAY],
  [/^(?:months?|mths?|mos?)$/, 30 * DAY],
  [/^(?:years?|yrs?|y)$/, 365.25 * DAY],
];

const MAX_LENGTH = 255;
/** What is added to a date must still be one. */
const MAX_SECONDS = 1000 * 366 * DAY;

/** Seconds, at least one; a number without a unit is seconds. Null for what is no duration. */
export function secondsOf(text: string): number | null {
  if (text.length > MAX_LENGTH) return null;
  const written = text.trim().toLowerCase();
  const seconds = clock(written) ?? sumOf(written.replace(/\band\b|[,+]/g, ' '));
  return seconds === null || seconds < 1 || seconds > MAX_SECONDS ? null : Math.floor(seconds);
}

function clock(text: string): number | null {
  if (!/^\d+(?::\d{1,2}){1,2}$/.test(text)) return null;
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

function sumOf(text: string): number | null {
  const rest = text.replace(/\s+/g, '');
  const parts = [...rest.matchAll(/(\d+(?:\.\d+)?)([a-z]*)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== rest) return null;
  let total = 0;
  for (const [, amount, unit = ''] of parts) {
    const size = unit === '' ? 1 : UNITS.find(([names]) => names.test(unit))?.[1];
    if (size === undefined) return null;
    total += Number(amount) * size;
  }
  return total;
}
