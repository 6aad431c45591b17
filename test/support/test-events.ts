import type { Database } from '../../src/platform/db/database.ts';
import { createEvents, type Events, type EventsOptions } from '../../src/platform/events/events.ts';
import { createLog } from '../../src/platform/log.ts';
import { Metrics } from '../../src/platform/metrics.ts';

declare module '../../src/platform/events/event.ts' {
  interface EventTypes {
    'test.counted': { n: number };
    'test.named': { name: string };
  }
}

export function testClock() {
  let now = 1_700_000_000_000;
  return {
    now: () => now,
    advance(ms: number) {
      now += ms;
    },
  };
}

/** The poll is off unless a test is about it: what arrives, arrives because of a wake-up or of `idle`. */
export function eventsOn(database: Database, options: Partial<EventsOptions> = {}): Events {
  const log = createLog('silent');
  return createEvents({
    database,
    clock: testClock(),
    log,
    metrics: new Metrics(),
    pollMs: 60_000,
    ...options,
  });
}

export function count(events: Events, database: Database, stream: string, n: number): Promise<number> {
  return database.transaction((tx) => events.publish(tx, { type: 'test.counted', stream, payload: { n } }));
}
