import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/tables.ts';
import { afterCommit } from '../db/transactions.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type Backoff, Dispatcher, type Subscriber } from './dispatcher.ts';
import type { EventType, FailingDelivery, Handler, LoggedEvent, NewEvent, SomeEvent } from './event.ts';
import { LeaderLoop } from './leader-loop.ts';
import {
  countDeliveries,
  eventsSince,
  expediteDelivery,
  failingDeliveries,
  insertEvent,
  lastPosition,
  sweepEvents,
} from './store.ts';

export interface EventsOptions {
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** How long a handled event stays readable; 7 days. */
  retentionMs?: number;
  /** What a missed wake-up costs at most; 1 second. */
  pollMs?: number;
  /** Waits after failures; 1 second doubling up to 10 minutes. */
  backoff?: Backoff;
  /** Handlers that run at once; 8. */
  concurrency?: number;
  /** How long `stop` waits for running handlers; 10 seconds. */
  stopMs?: number;
}

const DAY_MS = 24 * 3600 * 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
const SWEEP_BATCH = 500;
/** An event names what changed; a payload of this size carries the change itself. */
const MAX_PAYLOAD_LENGTH = 256 * 1024;
const MAX_LISTED = 1000;

interface Witness {
  types: ReadonlySet<string>;
  call: (event: NewEvent<EventType>) => void;
}

/** The outbox: what one room did, told to the others after the commit, at least once and in order per stream. */
export class Events {
  readonly #options: EventsOptions;
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #witnesses: Witness[] = [];
  readonly #dispatcher: Dispatcher;
  readonly #loop: LeaderLoop;
  #sweepTimer: NodeJS.Timeout | undefined;
  #sweeping: Promise<unknown> = Promise.resolve();
  #state: 'new' | 'started' | 'stopped' = 'new';

  constructor(options: EventsOptions) {
    const { database, clock, log, metrics } = options;
    this.#options = options;
    const failures = metrics.counter('ingot_outbox_failures_total', 'Failed attempts to handle an event', [
      'subscriber',
    ]);
    metrics.gauge('ingot_outbox_depth', 'Deliveries not handled yet', [], async (gauge) => {
      // The other metrics are wanted most of all when the database is away.
      gauge.set(await countDeliveries(database.db).catch(() => Number.NaN));
    });
    this.#dispatcher = new Dispatcher({
      db: database.db,
      clock,
      log,
      subscribers: this.#subscribers,
      backoff: options.backoff ?? { firstMs: 1000, maxMs: 600_000 },
      concurrency: options.concurrency ?? 8,
      onFailure: (subscriber) => failures.inc({ subscriber }),
    });
    this.#loop = new LeaderLoop({
      database,
      clock,
      log,
      dispatcher: this.#dispatcher,
      subscribersOf: (type) => this.#subscribersOf(type),
      pollMs: options.pollMs ?? 1000,
    });
  }

  /**
   * Only before `start`. Names are kept in the database: renaming a subscriber drops what it has not handled. Who has no use for
   * most events of a type says so by `wants`, and nothing is written for him.
   */
  subscribe<T extends EventType>(
    name: string,
    types: readonly T[],
    handler: Handler<T>,
    { wants = () => true }: { wants?: (event: SomeEvent<T>) => boolean } = {},
  ): void {
    if (this.#state !== 'new') throw new Error(`subscriber ${name} comes after the start`);
    if (this.#subscribers.has(name)) throw new Error(`two subscribers are named ${name}`);
    const subscriber = { name, types: new Set(types), handler: handler as Handler<EventType> };
    this.#subscribers.set(name, { ...subscriber, wants: wants as Subscriber['wants'] });
  }

  /**
   * Calls `witness` for each event of this process right after its commit, before whoever caused it is answered. Not for events
   * of other processes, and not after a crash: who must miss nothing subscribes, or reads the log.
   */
  witness<T extends EventType>(types: readonly T[], witness: (event: NewEvent<T>) => void): void {
    this.#witnesses.push({ types: new Set(types), call: witness as Witness['call'] });
  }

  /** Writes the event in the caller's transaction: it happens exactly when the change itself does. Returns its id. */
  async publish<T extends EventType>(tx: Tx, event: NewEvent<T>): Promise<number> {
    const payload = JSON.stringify(event.payload);
    if (payload.length > MAX_PAYLOAD_LENGTH) throw new RangeError(`the payload of ${event.type} is too long`);
    const row = { type: event.type, stream: event.stream, payload, created_at: this.#options.clock.now() };
    const id = await insertEvent(tx, row, this.#wantedBy(event));
    afterCommit(tx, () => {
      this.#loop.wake();
      for (const { types, call } of this.#witnesses) if (types.has(event.type)) call(event);
    });
    return id;
  }

  /** Begins to hand out, starting with what a former process left unfinished. */
  async start(): Promise<void> {
    if (this.#state !== 'new') throw new Error('events start once');
    this.#state = 'started';
    await this.#loop.start();
    this.#sweepTimer = setInterval(() => this.#sweepInBackground(), SWEEP_EVERY_MS).unref();
    this.#sweepInBackground();
  }

  /** Lets running handlers end, for a while; what they do not finish is handed out again at the next start. */
  async stop(): Promise<void> {
    if (this.#state !== 'started') return;
    this.#state = 'stopped';
    clearInterval(this.#sweepTimer);
    const patience = new AbortController();
    const late = sleep(this.#options.stopMs ?? 10_000, 'late' as const, { signal: patience.signal });
    const finished = await Promise.race([this.#loop.stop(), late.catch(() => 'late' as const)]);
    patience.abort();
    if (finished === 'late') this.#options.log.warn('event handlers were still running at the end');
    await this.#sweeping;
  }

  /** Resolves when everything that is due has been handed out and handled or noted as failed. For tests. */
  idle(): Promise<void> {
    return this.#loop.idle();
  }

  /** What keeps failing, oldest first. */
  async failing(limit = MAX_LISTED): Promise<FailingDelivery[]> {
    const rows = await failingDeliveries(this.#options.database.db, Math.min(limit, MAX_LISTED));
    return rows.map((row) => ({
      id: row.id,
      eventId: row.event_id,
      type: row.type,
      stream: row.stream,
      subscriber: row.subscriber,
      attempts: row.attempts,
      lastError: row.last_error ?? '',
      nextAttemptAt: row.next_attempt_at,
    }));
  }

  /** Tries a failed delivery again without waiting for its time; false when it is not failing (any more). */
  async retry(id: number): Promise<boolean> {
    const found = await expediteDelivery(this.#options.database.db, id);
    if (found) this.#loop.lookAgain();
    return found;
  }

  /**
   * The log after `position` (0 for all of it), oldest first. Events appear here once the leader has placed them, and
   * never before one that was read already: a reader that stores the last position misses nothing within the retention.
   */
  async readSince<T extends EventType>(
    position: number,
    types: readonly T[],
    limit: number,
  ): Promise<LoggedEvent<T>[]> {
    const rows = await eventsSince(this.#options.database.db, position, types, limit);
    return rows.map((row) => {
      const { created_at: createdAt, payload, ...rest } = row;
      return { ...rest, createdAt, payload: JSON.parse(payload) } as LoggedEvent<T>;
    });
  }

  /** Where the log ends now, for a reader that begins with what comes next. */
  position(): Promise<number> {
    return lastPosition(this.#options.database.db);
  }

  /** Deletes handled events past their retention, batch by batch. Returns how many. */
  async sweep(): Promise<number> {
    const { database, clock, retentionMs = 7 * DAY_MS } = this.#options;
    const before = clock.now() - retentionMs;
    let swept = 0;
    for (;;) {
      const batch = await sweepEvents(database.db, before, [...this.#subscribers.keys()], SWEEP_BATCH);
      swept += batch;
      if (batch < SWEEP_BATCH || this.#state === 'stopped') return swept;
      // A batch on SQLite takes some milliseconds without a pause: let requests in between.
      await sleep(10);
    }
  }

  #sweepInBackground(): void {
    this.#sweeping = this.sweep().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'old events could not be swept');
    });
  }

  #wantedBy<T extends EventType>(event: NewEvent<T>): string[] {
    const some = event as unknown as SomeEvent<EventType>;
    return this.#subscribersOf(event.type).filter((name) => this.#subscribers.get(name)?.wants(some));
  }

  #subscribersOf(type: string): string[] {
    return [...this.#subscribers.values()].filter(({ types }) => types.has(type)).map(({ name }) => name);
  }
}

export function createEvents(options: EventsOptions): Events {
  return new Events(options);
}
