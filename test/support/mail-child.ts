import { allMigrations } from '../../src/migrations.ts';
import { MailOutbox } from '../../src/notifications/mail/outbox.ts';
import { openSending } from '../../src/notifications/mail/sending/open-sending.ts';
import { SmtpTransport } from '../../src/notifications/mail/smtp/smtp-transport.ts';
import { UnsubscribeLinks } from '../../src/notifications/unsubscribe/links.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { Metrics } from '../../src/platform/metrics.ts';

/** A process that sends what is queued until it is killed: `node mail-child.ts PORT DIR [DATABASE_URL]`. Its waits are short. */

const [port, dir, url] = process.argv.slice(2) as [string, string, string | undefined];
const log = createLog('silent');
const metrics = new Metrics();
const database = await openDatabase({ dir, url, migrations: allMigrations(), log, metrics });
const baseUrl = () => 'https://ingot.test';

const outbox = new MailOutbox({ clock: systemClock, log, baseUrl, sends: true });
const sending = openSending({
  database,
  clock: systemClock,
  log,
  metrics,
  transport: new SmtpTransport({ url: `smtp://127.0.0.1:${port}` }),
  compose: {
    from: () => ({ name: 'Ingot', address: 'ingot@ingot.test' }),
    replyTo: () => ({ name: 'Ingot', address: 'noreply@ingot.test' }),
    baseUrl,
    links: async () => new UnsubscribeLinks('secret'),
  },
  deferral: { firstMs: 10, maxMs: 50 },
  outage: { firstMs: 10, maxMs: 50 },
  pollMs: 20,
});
outbox.onQueued = sending.wake;
sending.start();
