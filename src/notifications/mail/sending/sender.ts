import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { nodeIdentity } from '../../../platform/db/locks.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { type ComposeDeps, composeMail, type MailWithContent } from '../compose.ts';
import { MailDeferred, MailRefused, type MailTransport } from '../transport.ts';
import { type Backoff, waitMs } from './backoff.ts';
import { type Breaker, openBreaker } from './breaker.ts';
import {
  type ClaimedMail,
  claimMails,
  type DueMail,
  dueMails,
  type Outcome,
  putOff,
  settle,
} from './store.ts';

export interface SenderOptions {
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  transport: MailTransport;
  compose: ComposeDeps;
  /** Mails under way at once; 20. */
  inFlight?: number;
  /** Waits of a mail that the server would not take now. */
  deferral?: Backoff;
  /** Waits when the server could not be reached. */
  outage?: Backoff;
}

/** Four for each connection, so that none waits for our database; twice as many make requests wait longer and send no faster. */
const IN_FLIGHT = 20;
/**
 * Mails that have ended are written together: a commit for each would cost as much as sending it. What a process that is killed in
 * these milliseconds had not written goes out again.
 */
const WRITTEN_AT_ONCE = 10;
const GATHER_MS = 10;
/** More than can be under way, because of those that stand behind others to the same address. */
const LOOKED_AT = 30;
/** What is behind a mail that another process is sending is looked at again after this. */
const OTHERS_MS = 1000;

const DEFERRAL: Backoff = { firstMs: 60_000, maxMs: 3_600_000 };
const OUTAGE: Backoff = { firstMs: 1000, maxMs: 60_000 };

/**
 * Sends what is queued, one mail at a time to each address, in order. A mail is marked as being sent before the transport sees it
 * and as sent after the server has taken it: whatever ends the process between the two, the next one sends it (again).
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #owner: number;
  readonly #breaker: Breaker;
  /** Addresses that a mail is under way to, with its id. */
  readonly #busy = new Map<string, number>();
  readonly #results;
  readonly #idleWaiters: (() => void)[] = [];
  readonly #ended: { outcome: Outcome; done: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Called when there is room for more. */
  onRoom: () => void = () => {};

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#owner = nodeIdentity(options.database);
    this.#breaker = openBreaker(options.clock, options.outage ?? OUTAGE);
    this.#results = options.metrics.counter('ingot_mails_total', 'Attempts to send a mail', ['result']);
  }

  /** Ids of the mails under way. */
  get inHand(): number[] {
    return [...this.#busy.values()];
  }

  /** Ms; until then the server is left alone, because it could not be reached. */
  get pausedUntil(): number {
    return this.#breaker.pausedUntil;
  }

  /** Begins to send what is due, as far as there is room. Returns whether another look may find more. */
  async fill(): Promise<boolean> {
    const room = this.#room();
    if (room === 0) return false;
    const { database, clock } = this.#options;
    const busy = [...this.#busy.keys()];
    const due = await dueMails(database.db, { now: clock.now(), busy, limit: LOOKED_AT });
    await breathe();
    const heads = (await this.#headsOf(due)).slice(0, room);
    if (heads.length > 0) {
      const claimed = await database.transaction((tx) => claimMails(tx, heads, this.#owner));
      for (const mail of claimed) {
        // Marked at once, so that nothing takes it for lost; sent one by one, so that requests are answered in between.
        this.#busy.set(mail.recipient, mail.id);
      }
      for (const mail of claimed) {
        await breathe();
        this.#begin(mail);
      }
    }
    return due.length === LOOKED_AT;
  }

  /** Resolves when nothing is under way any more. */
  async drained(): Promise<void> {
    while (this.#busy.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** None as long as less than half is free: a look at the queue costs the same for one mail as for ten. */
  #room(): number {
    const { clock, inFlight = IN_FLIGHT } = this.#options;
    const places = Math.min(inFlight, this.#breaker.places(clock.now()));
    const free = places - this.#busy.size;
    return free > 0 && free >= places / 2 ? free : 0;
  }

  /** The first mails of their addresses; what stands behind one that waits is put off with it. */
  async #headsOf(due: readonly DueMail[]): Promise<number[]> {
    const { database, clock } = this.#options;
    const heads = new Set<number>();
    const behind = new Map<number, number[]>();
    for (const { id, head, headUnderWay, headDueAt } of due) {
      const until = headUnderWay ? clock.now() + OTHERS_MS : headDueAt;
      if (until <= clock.now()) heads.add(head);
      else behind.set(until, [...(behind.get(until) ?? []), id]);
    }
    for (const [until, ids] of behind) await putOff(database.db, ids, until);
    return [...heads];
  }

  #begin(mail: ClaimedMail): void {
    void this.#attempt(mail).then(async (outcome) => {
      await this.#settle(outcome);
      this.#busy.delete(mail.recipient);
      if (this.#busy.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
      this.onRoom();
    });
  }

  /** Never rejects: whatever happens is an outcome. */
  async #attempt(mail: ClaimedMail): Promise<Outcome> {
    const { transport, compose, clock, log } = this.#options;
    if (!mail.readerActive) return this.#givenUp(mail, 'its reader was blocked meanwhile');
    try {
      const answer = await transport.send(await composeMail(mail, compose));
      this.#breaker.succeeded();
      this.#results.inc({ result: 'sent' });
      return { id: mail.id, state: 'sent', answer, next_attempt_at: 0, settled_at: clock.now() };
    } catch (error) {
      const outcome = this.#failed(mail, error);
      const { id, kind, attempts } = mail;
      log.warn({ mail: id, kind, attempts, result: outcome.state, error: nameOf(error) }, 'mail not sent');
      return outcome;
    }
  }

  #failed({ id, attempts }: MailWithContent, error: unknown): Outcome {
    const { clock, deferral = DEFERRAL, outage = OUTAGE } = this.#options;
    const answer = String(error instanceof Error ? error.message : error).slice(0, 500);
    if (error instanceof MailRefused) {
      this.#breaker.succeeded();
      return this.#givenUp({ id }, answer);
    }
    this.#results.inc({ result: 'deferred' });
    const deferred = error instanceof MailDeferred;
    if (deferred) this.#breaker.succeeded();
    else this.#breaker.failed();
    const wait = waitMs(deferred ? deferral : outage, attempts);
    return { id, state: 'queued', answer, next_attempt_at: clock.now() + wait, settled_at: null };
  }

  #givenUp({ id }: Pick<MailWithContent, 'id'>, answer: string): Outcome {
    this.#results.inc({ result: 'failed' });
    return { id, state: 'failed', answer, next_attempt_at: 0, settled_at: this.#options.clock.now() };
  }

  /** Resolves once the outcome is committed, together with others that end in the same moment. */
  #settle(outcome: Outcome): Promise<void> {
    const { promise, resolve: done } = Promise.withResolvers<void>();
    this.#ended.push({ outcome, done });
    if (this.#ended.length >= WRITTEN_AT_ONCE) void this.#writeEnded();
    else this.#timer ??= setTimeout(() => void this.#writeEnded(), GATHER_MS);
    return promise;
  }

  /** Never rejects. */
  async #writeEnded(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ended = this.#ended.splice(0);
    try {
      await this.#write(ended.map(({ outcome }) => outcome));
    } catch (error) {
      // They stay marked as being sent, and are sent again once this process looks for what it lost.
      this.#options.log.error({ err: error }, 'what became of mails could not be written');
    }
    for (const { done } of ended) done();
  }

  #write(outcomes: readonly Outcome[]): Promise<void> {
    return this.#options.database.transaction(
      async (tx) => {
        for (const [index, outcome] of outcomes.entries()) {
          if (index % 5 === 4) await breathe();
          await settle(tx, outcome, this.#owner);
        }
      },
      { isolation: 'read committed' },
    );
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');
