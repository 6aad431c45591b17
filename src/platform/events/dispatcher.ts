import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/tables.ts';
import type { Log } from '../log.ts';
import type { DeliveredEvent, EventType, Handler, SomeEvent } from './event.ts';
import {
  type DeliveryRow,
  failDelivery,
  finishDelivery,
  headOfLane,
  LANE_TURN,
  type LaneKey,
} from './store.ts';

export interface Subscriber {
  name: string;
  types: ReadonlySet<string>;
  /** Asked when an event is written. */
  wants: (event: SomeEvent<EventType>) => boolean;
  handler: Handler<EventType>;
}

export interface Backoff {
  firstMs: number;
  maxMs: number;
}

export interface DispatcherOptions {
  db: Queryable;
  clock: Clock;
  log: Log;
  subscribers: ReadonlyMap<string, Subscriber>;
  backoff: Backoff;
  /** Handlers that run at once, over all lanes. */
  concurrency: number;
  onFailure: (subscriber: string) => void;
}

interface Lane extends LaneKey {
  /** Something new came while the lane was running. */
  again: boolean;
}

const MAX_ERROR_LENGTH = 500;

/**
 * Hands out events lane by lane. A lane is one stream of one subscriber: within it one event after the other, a failure
 * stops it until its time comes; lanes run side by side. Only the names of the busy lanes are kept in memory, the
 * events stay in the database until their turn.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #queue: Lane[] = [];
  /** Lanes that could not be worked because the database failed, to be tried again. */
  readonly #stalled = new Map<string, LaneKey>();
  #running = 0;
  #paused = false;
  #idleWaiters: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Works the lane soon. Asking again for a lane that is waiting or running costs nothing. */
  activate({ subscriber, stream }: LaneKey): void {
    if (this.#paused || !this.#options.subscribers.has(subscriber)) return;
    const key = keyOf(subscriber, stream);
    const known = this.#lanes.get(key);
    if (known) {
      known.again = true;
      return;
    }
    const lane = { subscriber, stream, again: false };
    this.#lanes.set(key, lane);
    this.#queue.push(lane);
    this.#pump();
  }

  activateStalled(): void {
    const lanes = [...this.#stalled.values()];
    this.#stalled.clear();
    for (const lane of lanes) this.activate(lane);
  }

  resume(): void {
    this.#paused = false;
  }

  /** Starts nothing new; resolves when the running handlers have ended. */
  async pause(): Promise<void> {
    this.#paused = true;
    for (const lane of this.#queue.splice(0)) this.#lanes.delete(keyOf(lane.subscriber, lane.stream));
    this.#stalled.clear();
    await this.drained();
  }

  /** Resolves when no lane is waiting or running. */
  async drained(): Promise<void> {
    if (this.#lanes.size === 0) return;
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  #pump(): void {
    while (this.#running < this.#options.concurrency) {
      const lane = this.#queue.shift();
      if (!lane) return;
      this.#running++;
      void this.#run(lane);
    }
  }

  async #run(lane: Lane): Promise<void> {
    lane.again = false;
    let more = false;
    try {
      more = await this.#work(lane);
    } catch (error) {
      this.#options.log.error({ err: error, subscriber: lane.subscriber }, 'events could not be handed out');
      this.#stalled.set(keyOf(lane.subscriber, lane.stream), lane);
    }
    this.#running--;
    this.#leave(lane, more);
    this.#pump();
  }

  #leave(lane: Lane, more: boolean): void {
    if (!this.#paused && (more || lane.again)) {
      this.#queue.push(lane);
      return;
    }
    this.#lanes.delete(keyOf(lane.subscriber, lane.stream));
    if (this.#lanes.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Returns whether the lane has more that is due. */
  async #work(lane: Lane): Promise<boolean> {
    const deliveries = await headOfLane(this.#options.db, lane);
    for (const delivery of deliveries) {
      if (this.#paused) return false;
      if (delivery.next_attempt_at > this.#options.clock.now()) return false;
      if (!(await this.#deliver(lane, delivery))) return false;
    }
    return deliveries.length === LANE_TURN;
  }

  async #deliver(lane: Lane, delivery: DeliveryRow): Promise<boolean> {
    const { db, subscribers } = this.#options;
    try {
      await subscribers.get(lane.subscriber)?.handler(toEvent(delivery));
    } catch (error) {
      await this.#recordFailure(lane, delivery, error);
      return false;
    }
    await finishDelivery(db, delivery.id);
    return true;
  }

  async #recordFailure(lane: Lane, delivery: DeliveryRow, error: unknown): Promise<void> {
    const { db, clock, log, onFailure } = this.#options;
    const attempts = delivery.attempts + 1;
    log.warn({ err: error, subscriber: lane.subscriber, event: delivery.event_id, attempts }, 'event failed');
    onFailure(lane.subscriber);
    await failDelivery(db, delivery.id, {
      attempts,
      next_attempt_at: Math.ceil(clock.now() + this.#wait(attempts)),
      last_error: errorText(error),
    });
  }

  /** Doubles up to the cap; the random half keeps what failed together from coming back together. */
  #wait(attempts: number): number {
    const { firstMs, maxMs } = this.#options.backoff;
    return Math.min(maxMs, firstMs * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2);
  }
}

function keyOf(subscriber: string, stream: string): string {
  return `${subscriber} ${stream}`;
}

function toEvent(row: DeliveryRow): DeliveredEvent<EventType> {
  const event = {
    id: row.event_id,
    type: row.type,
    stream: row.stream,
    payload: JSON.parse(row.payload) as unknown,
    createdAt: row.created_at,
    attempt: row.attempts + 1,
  };
  return event as DeliveredEvent<EventType>;
}

function errorText(error: unknown): string {
  // PostgreSQL refuses NUL bytes, and a failure to note a failure would lose it.
  return String(error).replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH);
}
