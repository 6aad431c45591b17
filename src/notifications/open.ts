import type { Core, CoreApi } from '../core/core.ts';
import { MailOutbox } from './mail/outbox.ts';
import { type Tell, tell } from './tell.ts';

export interface NotificationsOptions {
  /** `smtp://…` or `smtps://…`; without it mails are kept and can be read, not sent. */
  smtpUrl?: string | undefined;
}

/** The room of notifications: its routes, and what it does by itself between `start` and `close`. */
export interface Notifications {
  /** Where mails are written, in the transaction of what they tell. */
  outbox: MailOutbox;
  tell: Tell;
  routes(api: CoreApi): void;
  /** Once what a killed process left is settled; before the first request. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Wires the room; whoever listens to events subscribes here, before they start. */
export function openNotifications(core: Core, { smtpUrl }: NotificationsOptions): Notifications {
  const { clock, log, baseUrl } = core;
  const outbox = new MailOutbox({ clock, log, baseUrl, sends: smtpUrl !== undefined });
  return {
    outbox,
    tell: (tx, addressed) => tell(tx, { clock, baseUrl, enqueue: outbox.enqueue, onWaiting() {} }, addressed),
    routes(_api) {},
    async start() {},
    async close() {},
  };
}
