import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { isAlive, nodeIdentity } from '../../../platform/db/locks.ts';
import { LeaderTask } from '../../../platform/leader-task.ts';
import { Sender, type SenderOptions } from './sender.ts';
import { nextAttemptAt, ownersOfSending, requeue } from './store.ts';

export interface Sending {
  /** Something was queued. */
  wake(): void;
  start(): void;
  /** Lets mails under way end, for a while; the others wait for the next start. */
  close(): Promise<void>;
}

export interface SendingOptions extends SenderOptions {
  /** How long mails under way may take to end; 5 seconds. */
  closeMs?: number;
  pollMs?: number;
}

/** Marks that a killed process left are looked for so often; when it leads for the first time, at once. */
const RECOVER_EVERY_MS = 5000;

/** Sends queued mails, in the one process that leads. */
export function openSending(options: SendingOptions): Sending {
  const { database, log, clock, transport } = options;
  const sender = new Sender(options);
  let recoveredAt = Number.NEGATIVE_INFINITY;
  const task = new LeaderTask({
    database,
    log,
    name: 'mail',
    ...(options.pollMs !== undefined && { pollMs: options.pollMs }),
    async work() {
      if (clock.now() - recoveredAt >= RECOVER_EVERY_MS) {
        await takeUpLost(database, sender);
        recoveredAt = clock.now();
      }
      while (await sender.fill());
      return untilNext(database, sender, clock);
    },
  });
  sender.onRoom = () => task.wake();
  return {
    wake: () => task.wake(),
    start: () => task.start(),
    async close() {
      await task.stop();
      await Promise.race([sender.drained(), sleep(options.closeMs ?? 5000, undefined, { ref: false })]);
      await transport.close();
      await sender.drained();
    },
  };
}

/** What a process that is gone had in hand, and what this one could not write down as done: nobody else will send it. */
async function takeUpLost(database: Database, sender: Sender): Promise<void> {
  const self = nodeIdentity(database);
  for (const owner of await ownersOfSending(database.db)) {
    if (owner === self) await requeue(database.db, owner, sender.inHand);
    else if (!(await isAlive(database, owner))) await requeue(database.db, owner, []);
  }
}

async function untilNext(database: Database, sender: Sender, clock: Clock): Promise<number | null> {
  const now = clock.now();
  if (sender.pausedUntil > now) return sender.pausedUntil - now;
  const at = await nextAttemptAt(database.db, now);
  return at === null ? null : at - now;
}
