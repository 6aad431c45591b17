import { createTransport } from 'nodemailer';

/** What nodemailer does by itself: `node bare-pool.ts PORT AMOUNT MAIL_AS_JSON` sends that mail so many times over five connections. */

const [port, amount, mail] = process.argv.slice(2) as [string, string, string];
const message = JSON.parse(mail) as { from: string; subject: string; text: string; html: string };
const pool = createTransport({
  pool: true,
  host: '127.0.0.1',
  port: Number(port),
  maxConnections: 5,
  maxMessages: 1000,
});

let next = 0;
async function sendOn(): Promise<void> {
  while (next < Number(amount)) {
    const n = next++;
    await pool.sendMail({ ...message, to: `user${n}@example.com`, messageId: `<${n}@bench.test>` });
  }
}
await Promise.all(Array.from({ length: 20 }, sendOn));
pool.close();
