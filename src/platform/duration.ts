/** Seconds in each unit; a month is 30 days and a year 365.25 of them, as GitLab's own reader of durations has it. */
const UNITS: readonly [seconds: number, names: readonly string[]][] = [
  [1, ['s', 'sec', 'secs', 'second', 'seconds']],
  [60, ['m', 'min', 'mins', 'minute', 'minutes']],
  [3600, ['h', 'hr', 'hrs', 'hour', 'hours']],
  [86_400, ['d', 'dy', 'dys', 'day', 'days']],
  [604_800, ['w', 'wk', 'wks', 'week', 'weeks']],
  [2_592_000, ['mo', 'mos', 'mon', 'mons', 'mth', 'mths', 'month', 'months']],
  [31_557_600, ['y', 'yr', 'yrs', 'year', 'years']],
];

const SECONDS = new Map(UNITS.flatMap(([seconds, names]) => names.map((name) => [name, seconds] as const)));

/** Beyond it no time could be written. */
const MAX_SECONDS = 1000 * 31_557_600;

const MAX_LENGTH = 255;

/**
 * Seconds of a duration as GitLab reads it (the grammar of Ruby's ChronicDuration): `1 week`, `2 hrs 20 min`, `3 mins and 4 sec`, `1h30m`,
 * `1:30:00`; a number without a unit is seconds. Undefined for what is no duration or lasts over a thousand years.
 */
export function secondsOf(text: string): number | undefined {
  const plain = text.trim().toLowerCase();
  if (plain === '' || text.length > MAX_LENGTH) return undefined;
  const seconds = ofClock(plain) ?? ofParts(plain);
  return seconds === undefined || seconds > MAX_SECONDS ? undefined : Math.floor(seconds);
}

/** The same, or null for `never`. */
export const secondsOrNever = (text: string): number | null | undefined =>
  text.trim().toLowerCase() === 'never' ? null : secondsOf(text);

function ofClock(text: string): number | undefined {
  if (!/^\d{1,12}(?::\d{1,2}){1,2}$/.test(text)) return undefined;
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

function ofParts(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]*)[\s,+]*(?:and\s+)?/g)];
  if (parts.map(([whole]) => whole).join('') !== text) return undefined;
  let sum = 0;
  for (const [, number, unit] of parts) {
    const seconds = unit === '' ? 1 : SECONDS.get(unit ?? '');
    if (seconds === undefined) return undefined;
    sum += Number(number) * seconds;
  }
  return sum;
}
