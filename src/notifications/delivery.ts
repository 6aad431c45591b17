import type { FastifyInstance } from 'fastify';
import type { Core, CoreApi } from '../core/core.ts';
import { LeaderTask } from '../platform/leader-task.ts';
import { composeDue, type StillVisible } from './digest/compose.ts';
import { readSender, type Sender } from './mail/address.ts';
import { adminMailRoutes } from './mail/admin-routes.ts';
import type { ComposeDeps } from './mail/compose.ts';
import { MailOutbox } from './mail/outbox.ts';
import { openSending, type Sending } from './mail/sending/open-sending.ts';
import { countWaiting } from './mail/sending/store.ts';
import { SmtpTransport } from './mail/smtp/smtp-transport.ts';
import type { MailTransport } from './mail/transport.ts';
import { sweepMail } from './sweep.ts';
import { type Tell, tell } from './tell.ts';
import { type Unsubscribe, unsubscribeRoutes } from './unsubscribe/routes.ts';
import { unsubscribeLinks } from './unsubscribe/secret.ts';

export interface DeliveryOptions {
  /** `smtp://…` or `smtps://…`; without it mails are kept and can be read, not sent. */
  smtpUrl?: string | undefined;
  /** Whom mails are from: `ingot@example.com` or `Ingot <ingot@example.com>`. */
  mailFrom?: string | undefined;
  /** Where what people answer goes; `noreply@` at the domain of `mailFrom` when left out. */
  mailReplyTo?: string | undefined;
  stillVisible: StillVisible;
  unsubscribe: Unsubscribe;
}

/** How what is told reaches people. */
export interface NoticeDelivery {
  /** Where mails are written, in the transaction of what they tell. */
  outbox: MailOutbox;
  tell: Tell;
  routes(api: CoreApi, server: FastifyInstance): void;
  start(): void;
  close(): Promise<void>;
}

const SWEEP_EVERY_MS = 3_600_000;

export function openDelivery(core: Core, options: DeliveryOptions): NoticeDelivery {
  const { database, clock, log, baseUrl } = core;
  const outbox = new MailOutbox({ clock, log, baseUrl, sends: options.smtpUrl !== undefined });
  const links = unsubscribeLinks(database);
  const from = () => senderOf(options.mailFrom, baseUrl());
  const compose = { from, replyTo: () => replyTo(options.mailReplyTo, from()), baseUrl, links };
  const sending = options.smtpUrl
    ? sendingTo(new SmtpTransport({ url: options.smtpUrl }), core, compose)
    : null;
  const gathering = gatheringTask(core, outbox, options.stillVisible);
  outbox.onQueued = () => sending?.wake();
  const told = { clock, baseUrl, enqueue: outbox.enqueue, onWaiting: () => gathering.wake() };
  return {
    outbox,
    tell: (tx, announcement) => tell(tx, told, announcement),
    routes(api, server) {
      adminMailRoutes(api, core, { compose, wake: sending?.wake ?? null });
      unsubscribeRoutes(server, { db: core.db, links, unsubscribe: options.unsubscribe });
    },
    start() {
      if (!sending) log.info('SMTP_URL is not set: mails are kept, see GET /api/v4/admin/mails');
      gathering.start();
      sending?.start();
    },
    async close() {
      await gathering.stop();
      await sending?.close();
    },
  };
}

/** Composes what is due, and every hour sweeps up. */
function gatheringTask(core: Core, outbox: MailOutbox, stillVisible: StillVisible) {
  const { database, clock, log, baseUrl } = core;
  let sweptAt = Number.NEGATIVE_INFINITY;
  return new LeaderTask({
    database,
    log,
    name: 'notices',
    async work(stop) {
      if (clock.now() - sweptAt >= SWEEP_EVERY_MS) {
        await sweepMail({ database, clock, stop });
        sweptAt = clock.now();
      }
      return composeDue({ database, clock, log, baseUrl, enqueue: outbox.enqueue, stillVisible, stop });
    },
  });
}

function sendingTo(transport: MailTransport, core: Core, compose: ComposeDeps): Sending {
  const { database, clock, log, metrics } = core;
  metrics.gauge('ingot_mail_queue_depth', 'Mails not sent yet', [], async (gauge) => {
    gauge.set(await countWaiting(database.db).catch(() => Number.NaN));
  });
  return openSending({ database, clock, log, metrics, transport, compose });
}

/** A bare IP address is no domain that a mail could be from. */
function senderOf(mailFrom: string | undefined, baseUrl: string): Sender {
  const { hostname } = new URL(baseUrl);
  const domain = /^[\d.]+$|^\[/.test(hostname) ? 'localhost' : hostname;
  return readSender(mailFrom ?? '') ?? { name: 'Ingot', address: `ingot@${domain}` };
}

/** GitLab's default: people who answer are told by their own server that nobody reads it. */
function replyTo(configured: string | undefined, from: Sender): Sender {
  const noreply = `noreply${from.address.slice(from.address.lastIndexOf('@'))}`;
  return readSender(configured ?? '') ?? { name: from.name, address: noreply };
}
