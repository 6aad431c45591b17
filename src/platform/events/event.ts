/**
 * Every type of event, with its payload. Empty here; each room adds its own by declaration merging:
 *
 * ```ts
 * declare module '../platform/events/event.ts' {
 *   interface EventTypes { 'ref.updated': { projectId: number; ref: string; before: string; after: string } }
 * }
 * ```
 *
 * Payloads are JSON and are kept for days: they name things by id and never hold a token, a password or a masked variable.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms fill it by declaration merging
export interface EventTypes {}

export type EventType = keyof EventTypes & string;

export interface NewEvent<T extends EventType> {
  type: T;
  /** Events of one stream are handled in order (`project:12`), different streams side by side. */
  stream: string;
  payload: EventTypes[T];
}

/** A new event of one of these types: one member of the union for each. */
export type SomeEvent<T extends EventType> = { [K in T]: NewEvent<K> }[T];

/** What a handler gets, one member of the union for each type that it asked for. */
export type DeliveredEvent<T extends EventType> = {
  [K in T]: {
    id: number;
    type: K;
    stream: string;
    payload: EventTypes[K];
    /** Milliseconds since the epoch. */
    createdAt: number;
    /** 1 at first. More than 1 when an attempt failed; the same attempt may also come twice, after a crash. */
    attempt: number;
  };
}[T];

/** An event as the log holds it. */
export type LoggedEvent<T extends EventType> = {
  [K in T]: {
    /** Rises without gaps in the order in which events became visible; where a reader goes on the next time. */
    position: number;
    id: number;
    type: K;
    stream: string;
    payload: EventTypes[K];
    createdAt: number;
  };
}[T];

/** Must be safe to run again: an event is delivered at least once, and again when the process ends midway. */
export type Handler<T extends EventType> = (event: DeliveredEvent<T>) => Promise<void>;

export interface FailingDelivery {
  /** Of the delivery; what `retry` takes. */
  id: number;
  eventId: number;
  type: string;
  stream: string;
  subscriber: string;
  attempts: number;
  /** First 500 characters. */
  lastError: string;
  nextAttemptAt: number;
}
