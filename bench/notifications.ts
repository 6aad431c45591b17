import { parseArgs } from 'node:util';
import { type Row, report } from './lib/measure.ts';
import { mailRows } from './notifications/mail.ts';
import { recipientRows } from './notifications/recipients.ts';
import { settingsRows } from './notifications/settings.ts';

/**
 * Notifications, as ratios in one run.
 *
 *   node bench/notifications.ts [PART ...]
 *
 * Parts: settings (reads against GET /user), recipients (of a comment, ten thousand watchers against ten), mail (ten thousand mails against nodemailer alone); all of them without a choice.
 */

const PARTS: Record<string, () => Promise<Row[]>> = {
  settings: settingsRows,
  recipients: recipientRows,
  mail: mailRows,
};

const { positionals: chosen } = parseArgs({ allowPositionals: true });
for (const [name, part] of Object.entries(PARTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.error(`${name} …`);
  report(await part());
}
