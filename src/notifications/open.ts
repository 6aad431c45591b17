import type { FastifyInstance } from 'fastify';
import type { Core, CoreApi } from '../core/core.ts';
import { openDelivery } from './delivery.ts';
import { stillVisible } from './happenings/still-visible.ts';
import { followHappenings } from './happenings/subscribe.ts';
import type { MailOutbox } from './mail/outbox.ts';
import { confirmAddresses } from './settings/confirm-address.ts';
import { forgetSettingsOfLeavers } from './settings/forget.ts';
import { notificationSettingsRoutes } from './settings/routes.ts';
import type { NotificationSources } from './sources.ts';
import type { Tell } from './tell.ts';
import type { Unsubscribe } from './unsubscribe/routes.ts';

export interface NotificationsOptions {
  /** `smtp://…` or `smtps://…`; without it mails are kept and can be read, not sent. */
  smtpUrl?: string | undefined;
  /** Whom mails are from: `ingot@example.com` or `Ingot <ingot@example.com>`. */
  mailFrom?: string | undefined;
  /** Where what people answer goes; `noreply@` at the domain of `mailFrom` when left out. */
  mailReplyTo?: string | undefined;
  /** What the links in mails do. */
  unsubscribe: Unsubscribe;
  /** What other rooms tell of their things. */
  sources: NotificationSources;
}

/** The room of notifications: its routes, and what it does by itself between `start` and `close`. */
export interface Notifications {
  /** Where mails are written, in the transaction of what they tell. */
  outbox: MailOutbox;
  tell: Tell;
  /** `server` takes the pages that links of mails lead to. */
  routes(api: CoreApi, server: FastifyInstance): void;
  /** Once the address is known that mails name. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Wires the room; whoever listens to events subscribes here, before they start. */
export function openNotifications(core: Core, options: NotificationsOptions): Notifications {
  const { sources, ...rest } = options;
  const visible = { db: core.db, tracker: sources.tracker, today: () => core.access.today() };
  const delivery = openDelivery(core, {
    ...rest,
    stillVisible: (userId, notices) => stillVisible(visible, userId, notices),
  });
  followHappenings({ core, sources, tell: delivery.tell });
  confirmAddresses(core, delivery.outbox.enqueue);
  forgetSettingsOfLeavers(core);
  return {
    outbox: delivery.outbox,
    tell: delivery.tell,
    routes(api, server) {
      delivery.routes(api, server);
      notificationSettingsRoutes(api, core);
    },
    async start() {
      delivery.start();
    },
    async close() {
      await delivery.close();
    },
  };
}
