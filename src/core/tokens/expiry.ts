import { fail } from '../../platform/errors.ts';

/** GitLab's longest life of a token. */
export const MAX_LIFETIME_DAYS = 365;
/** What a rotated token gets when nothing is said. */
export const ROTATED_LIFETIME_DAYS = 7;

const DAY_MS = 24 * 3600 * 1000;

/** `YYYY-MM-DD` in UTC: a token ends at the beginning of its expiry day. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The same for a clock that is asked at every call: the text is written once a day. */
export class DayText {
  #number = Number.NaN;
  #text = '';

  of(ms: number): string {
    const number = Math.floor(ms / DAY_MS);
    if (number !== this.#number) {
      this.#number = number;
      this.#text = dayOf(ms);
    }
    return this.#text;
  }
}

/** The expiry day to store. Today is taken, as on GitLab, though the token has ended then. Throws 400 for a day gone by or more than a year away. */
export function expiryDay(asked: string | null | undefined, now: number, defaultDays: number): string {
  if (asked === null || asked === undefined) return dayOf(now + defaultDays * DAY_MS);
  if (asked < dayOf(now)) throw fail.invalid({ expires_at: ["can't be in the past"] });
  const last = dayOf(now + MAX_LIFETIME_DAYS * DAY_MS);
  if (asked > last)
    throw fail.invalid({ expires_at: [`must be before ${dayOf(Date.parse(last) + DAY_MS)}`] });
  return asked;
}
