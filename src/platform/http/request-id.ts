import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_LENGTH = 16;

/** 26 characters that sort by time, as GitLab's correlation ids: ten of milliseconds, sixteen random. */
export function requestId(now = Date.now()): string {
  let text = timeText(now);
  for (const byte of randomChunk()) text += ALPHABET[byte & 31];
  return text;
}

let writtenAt = Number.NaN;
let written = '';

/** Of many requests in one millisecond the first writes it. */
function timeText(now: number): string {
  if (now === writtenAt) return written;
  let text = '';
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text;
  writtenAt = now;
  written = text;
  return text;
}

let pool = randomBytes(0);
let used = 0;

/** Drawn from a pool: one call to the random source for 256 requests instead of one each. */
function randomChunk(): Buffer {
  if (used + RANDOM_LENGTH > pool.length) {
    pool = randomBytes(256 * RANDOM_LENGTH);
    used = 0;
  }
  used += RANDOM_LENGTH;
  return pool.subarray(used - RANDOM_LENGTH, used);
}
