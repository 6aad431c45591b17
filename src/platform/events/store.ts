import { type Generated, type Insertable, type SqlBool, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { composed } from '../db/prepared.ts';
import type { Queryable, Tx } from '../db/tables.ts';

interface EventsTable {
  id: Generated<number>;
  position: number | null;
  type: string;
  stream: string;
  payload: string;
  created_at: number;
}

interface EventSequenceTable {
  singleton: number;
  last_position: number;
}

interface EventDeliveriesTable {
  id: Generated<number>;
  event_id: number;
  subscriber: string;
  stream: string;
  attempts: Generated<number>;
  next_attempt_at: Generated<number>;
  last_error: string | null;
}

declare module '../db/tables.ts' {
  interface Tables {
    events: EventsTable;
    event_sequence: EventSequenceTable;
    event_deliveries: EventDeliveriesTable;
  }
}

export interface EventRow {
  type: string;
  stream: string;
  payload: string;
  created_at: number;
}

/** Writes the event and what its subscribers have to do, as part of the caller's transaction. Returns the event's id. */
export async function insertEvent(tx: Tx, row: EventRow, subscribers: readonly string[]): Promise<number> {
  const [event] = await insertRow(tx, { ...row });
  const { id } = event!;
  if (subscribers.length > 0)
    await insertDeliveries(tx, {
      event: id,
      stream: row.stream,
      ...Object.fromEntries(subscribers.entries()),
    });
  return id;
}

const insertRow = composed((db, row: Insertable<EventsTable>) =>
  db.insertInto('events').values(row).returning('id'),
);

const insertDeliveries = composed(
  (db, at: { event: number; stream: string } & Record<string, string | number>) => {
    const { event, stream, ...subscribers } = at;
    const rows = Object.values(subscribers).map((subscriber) => ({
      event_id: event,
      subscriber: subscriber as string,
      stream,
    }));
    return db.insertInto('event_deliveries').values(rows);
  },
);

/** One transaction each; SQLite takes 2 ms for so many. */
export const PLACED_AT_ONCE = 200;
/** As many does a lane hand out before it gives way to the others. */
export const LANE_TURN = 20;

/**
 * Gives the next committed events, at most `PLACED_AT_ONCE`, their place in the log; returns their types and streams, empty when there is
 * none. Only the leader calls this. The row lock on `event_sequence` keeps a former leader that has not noticed yet
 * from handing out positions at the same time, which is all the isolation that this needs.
 */
export async function placeEvents(database: Database): Promise<{ type: string; stream: string }[]> {
  const unplaced = await withoutPlace(database.db, {});
  if (unplaced.length > 0) {
    const ids = unplaced.map((event) => event.id);
    await database.transaction((tx) => assignPositions(tx, ids), { isolation: 'read committed' });
  }
  return unplaced;
}

const withoutPlace = composed((db) =>
  db
    .selectFrom('events')
    .select(['id', 'type', 'stream'])
    .where('position', 'is', null)
    .orderBy('id')
    .limit(PLACED_AT_ONCE),
);

const advance = composed((db, at: { by: number }) =>
  db
    .updateTable('event_sequence')
    .set((eb) => ({ last_position: eb('last_position', '+', at.by) }))
    .returning('last_position'),
);

const placeOne = composed((db, at: { id: number; position: number }) =>
  db
    .updateTable('events')
    .set({ position: at.position })
    .where('id', '=', at.id)
    .where('position', 'is', null)
    .returning('id'),
);

async function assignPositions(tx: Tx, ids: readonly number[]): Promise<void> {
  const [sequence] = await advance(tx, { by: ids.length });
  const first = sequence!.last_position - ids.length + 1;
  const [id] = ids;
  const placed =
    ids.length === 1 ? await placeOne(tx, { id: id!, position: first }) : await placeAll(tx, ids, first);
  if (placed.length !== ids.length) throw new Error('another leader placed these events');
}

function placeAll(tx: Tx, ids: readonly number[], first: number): Promise<{ id: number }[]> {
  const cases = sql.join(
    ids.map((id, index) => sql`when ${id} then cast(${first + index} as bigint)`),
    sql` `,
  );
  return tx
    .updateTable('events')
    .set({ position: sql<number>`case id ${cases} end` })
    .where('id', 'in', ids)
    .where('position', 'is', null)
    .returning('id')
    .execute();
}

/** The place of the newest event that has one; 0 before the first. */
export async function lastPosition(db: Queryable): Promise<number> {
  const row = await db.selectFrom('event_sequence').select('last_position').executeTakeFirstOrThrow();
  return row.last_position;
}

export interface LaneKey {
  subscriber: string;
  stream: string;
}

/** Every lane with something undelivered; read once, when a leader begins. */
export function pendingLanes(db: Queryable): Promise<LaneKey[]> {
  return db.selectFrom('event_deliveries').select(['subscriber', 'stream']).distinct().execute();
}

/** Deliveries come by thousands and go again. */
const QUEUE = { planEachTime: true };

/** Lanes whose failed head is due again. Only the head of a lane can have been attempted. */
export const dueLanes = (db: Queryable, now: number): Promise<LaneKey[]> => due(db, { now });

// The condition of the index stands in the text: a plan that is made once uses a partial index only then.
const failing = sql<SqlBool>`attempts > 0`;

const due = composed(
  (db, at: { now: number }) =>
    db
      .selectFrom('event_deliveries')
      .select(['subscriber', 'stream'])
      .where(failing)
      .where('next_attempt_at', '<=', at.now)
      .orderBy('next_attempt_at')
      .limit(1000),
  QUEUE,
);

/** When the next failed delivery is due, or null. */
export async function nextDueAt(db: Queryable): Promise<number | null> {
  return (await nextDue(db, {}))[0]?.at ?? null;
}

const nextDue = composed(
  (db) =>
    db
      .selectFrom('event_deliveries')
      .select((eb) => eb.fn.min('next_attempt_at').as('at'))
      .where(failing),
  QUEUE,
);

export interface DeliveryRow {
  id: number;
  event_id: number;
  attempts: number;
  next_attempt_at: number;
  type: string;
  stream: string;
  payload: string;
  created_at: number;
}

/** The first `LANE_TURN` undelivered events of a lane, in order. */
export const headOfLane = (db: Queryable, { subscriber, stream }: LaneKey): Promise<DeliveryRow[]> =>
  head(db, { subscriber, stream });

const head = composed(
  (db, at: LaneKey & Record<string, string>) =>
    db
      .selectFrom('event_deliveries as delivery')
      .innerJoin('events as event', 'event.id', 'delivery.event_id')
      .select(['delivery.id', 'delivery.event_id', 'delivery.attempts', 'delivery.next_attempt_at'])
      .select(['event.type', 'event.stream', 'event.payload', 'event.created_at'])
      .where('delivery.subscriber', '=', at.subscriber)
      .where('delivery.stream', '=', at.stream)
      .orderBy('delivery.event_id')
      .limit(LANE_TURN),
  QUEUE,
);

export async function finishDelivery(db: Queryable, id: number): Promise<void> {
  await remove(db, { id });
}

const remove = composed(
  (db, at: { id: number }) => db.deleteFrom('event_deliveries').where('id', '=', at.id),
  QUEUE,
);

export async function failDelivery(
  db: Queryable,
  id: number,
  failure: { attempts: number; next_attempt_at: number; last_error: string },
): Promise<void> {
  await db.updateTable('event_deliveries').set(failure).where('id', '=', id).execute();
}

export function failingDeliveries(db: Queryable, limit: number) {
  return db
    .selectFrom('event_deliveries as delivery')
    .innerJoin('events as event', 'event.id', 'delivery.event_id')
    .select(['delivery.id', 'delivery.event_id', 'delivery.subscriber', 'delivery.attempts'])
    .select(['delivery.last_error', 'delivery.next_attempt_at', 'event.type', 'event.stream'])
    .where('delivery.attempts', '>', 0)
    .orderBy('delivery.id')
    .limit(limit)
    .execute();
}

/** Makes a failed delivery due now; false when there is none of that id. */
export async function expediteDelivery(db: Queryable, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('event_deliveries')
    .set({ next_attempt_at: 0 })
    .where('id', '=', id)
    .where('attempts', '>', 0)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function countDeliveries(db: Queryable): Promise<number> {
  const { depth } = await db
    .selectFrom('event_deliveries')
    .select((eb) => eb.fn.countAll<number>().as('depth'))
    .executeTakeFirstOrThrow();
  return depth;
}

export function eventsSince(db: Queryable, position: number, types: readonly string[], limit: number) {
  return db
    .selectFrom('events')
    .select(['id', 'type', 'stream', 'payload', 'created_at'])
    .select((eb) => eb.ref('position').$notNull().as('position'))
    .where('position', '>', position)
    .where('type', 'in', types)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/**
 * Deletes up to `limit` events from before `before` that nobody waits for any more; deliveries to subscribers that no
 * longer exist do not count as waiting. Returns how many went.
 */
export async function sweepEvents(
  db: Queryable,
  before: number,
  subscribers: readonly string[],
  limit: number,
): Promise<number> {
  const known = subscribers.length > 0 ? subscribers : [''];
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('events')
        .select('events.id')
        .where('events.created_at', '<', before)
        .where('events.position', 'is not', null)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('event_deliveries as delivery')
                .select('delivery.id')
                .whereRef('delivery.event_id', '=', 'events.id')
                .where('delivery.subscriber', 'in', known),
            ),
          ),
        )
        .orderBy('events.created_at')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
