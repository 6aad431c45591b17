/** Where "now" comes from. Passed in, so that a test can stop or move time. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
