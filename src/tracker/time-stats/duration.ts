/** GitLab's way to write time: `1mo 2w 3d 4h 5m`, where a day is 8 hours of work, a week 5 days and a month 4 weeks. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 8 * HOUR;
const WEEK = 5 * DAY;
const MONTH = 4 * WEEK;

const UNITS: [names: string, seconds: number][] = [
  ['months? mos? mths?', MONTH],
  ['weeks? wks? w', WEEK],
  ['days? dys? d', DAY],
  ['hours? hrs? h', HOUR],
  ['minutes? mins? m', MINUTE],
  ['seconds? secs? s', 1],
];

const PART = new RegExp(
  `(\\d{1,9}(?:\\.\\d{1,9})?)\\s*(?:${UNITS.map(([names]) => `(${names.replaceAll(' ', '|')})`).join('|')})(?![a-z])`,
  'y',
);
const BARE_NUMBER = /^\d{1,9}(?:\.\d{1,9})?$/;
const MAX_LENGTH = 255;
/** What GitLab's column holds: some 68 years. */
const MAX_SECONDS = 2 ** 31 - 1;

/**
 * Seconds of a duration such as `1h 30m`, `-2d`, `1 week, 3 days` or `1.5h`; a number without a unit is hours. Null for what
 * is none, and for more than 68 years.
 */
export function parseDuration(text: string): number | null {
  const [, sign, amount = ''] = /^\s*([+-]?)\s*(.*?)\s*$/s.exec(text.slice(0, MAX_LENGTH + 1)) ?? [];
  if (text.length > MAX_LENGTH) return null;
  const seconds = BARE_NUMBER.test(amount) ? Number(amount) * HOUR : sumOf(amount.toLowerCase());
  if (seconds === null) return null;
  const whole = Math.round(seconds);
  if (whole > MAX_SECONDS) return null;
  return sign === '-' && whole > 0 ? -whole : whole;
}

/** Parts follow each other, with blanks, commas or `and` between them, and nothing else. */
function sumOf(text: string): number | null {
  let at = 0;
  let total = 0;
  while (at < text.length) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (!part) return null;
    const unit = part.slice(2).findIndex((name) => name !== undefined);
    total += Number(part[1]) * (UNITS[unit]?.[1] ?? 0);
    at = PART.lastIndex + betweenParts(text.slice(PART.lastIndex));
  }
  return text === '' ? null : total;
}

const betweenParts = (rest: string) => /^(?:\s*,\s*|\s+)?(?:and\s+)?/.exec(rest)?.[0].length ?? 0;

const SHORT: [unit: string, seconds: number][] = [
  ['mo', MONTH],
  ['w', WEEK],
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', 1],
];

/** `1h 30m`; null for no time at all, as GitLab shows it. */
export function formatDuration(seconds: number): string | null {
  if (seconds === 0) return null;
  let rest = Math.abs(seconds);
  const parts: string[] = [];
  for (const [unit, size] of SHORT) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return (seconds < 0 ? '-' : '') + parts.join(' ');
}
