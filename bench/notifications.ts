import { parseArgs } from 'node:util';
import { type Row, report } from './lib/measure.ts';
import { mailRows } from './notifications/mail.ts';
import { settingsRows } from './notifications/settings.ts';

/**
 * Notifications, as ratios in one run.
 *
 *   node bench/notifications.ts [PART ...]
 *
 * Parts: settings (reads against GET /user), mail (ten thousand mails against nodemailer alone); all of them without a choice.
 */

const PARTS: Record<string, () => Promise<Row[]>> = { settings: settingsRows, mail: mailRows };

const { positionals: chosen } = parseArgs({ allowPositionals: true });
for (const [name, part] of Object.entries(PARTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.error(`${name} …`);
  report(await part());
}
