import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { allMigrations } from '../../src/migrations.ts';
import { MailOutbox } from '../../src/notifications/mail/outbox.ts';
import { noticeMail } from '../../src/notifications/mail/render/notice-mail.ts';
import { aNotice } from '../../src/notifications/testing.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { Metrics } from '../../src/platform/metrics.ts';
import { freePort, Ingot } from '../lib/ingot.ts';
import { getOk, median, ms, now, quantile, type Row, rps, run, times } from '../lib/measure.ts';

const AMOUNT = 10_000;
const ROUNDS = 3;
const BASE = 'https://ingot.test';
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Ten thousand mails to a sink on this machine, against nodemailer alone; and what else is asked of the service meanwhile. */
export async function mailRows(): Promise<Row[]> {
  const sink = await startSink();
  const ingot = await Ingot.start({ env: { SMTP_URL: `smtp://127.0.0.1:${sink.port}` } });
  const write = (round: number) => ingot.pauseFor(() => writeMails(ingot.dataDir, round));
  try {
    const rates: { ours: number; theirs: number }[] = [];
    const waits: { alone: number; meanwhile: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const theirs = await sink.rate(() => sendBare(sink.port));
      await write(2 * round);
      rates.push({ theirs, ours: await sink.rate(async () => {}) });
      await askAround(ingot, 1000);
      const alone = quantile(await askAround(ingot, 3000), 0.99);
      await write(2 * round + 1);
      let meanwhile: number[] = [];
      await sink.rate(async (goesOn) => {
        await askAround(ingot, 300);
        meanwhile = await askAround(ingot, Number.POSITIVE_INFINITY, goesOn);
      });
      waits.push({ alone, meanwhile: quantile(meanwhile, 0.99) });
    }
    return [rateRow(rates), waitRow(waits)];
  } finally {
    await ingot.stop();
    sink.stop();
  }
}

function rateRow(rates: { ours: number; theirs: number }[]): Row {
  const ratio = median(rates.map(({ ours, theirs }) => ours / theirs));
  return {
    what: '10,000 mails to a local sink',
    ours: rps(median(rates.map(({ ours }) => ours))),
    theirs: `${rps(median(rates.map(({ theirs }) => theirs)))} (bare nodemailer pool)`,
    ratio: times(ratio),
    goal: 'over 0.5x',
    met: ratio > 0.5,
  };
}

function waitRow(waits: { alone: number; meanwhile: number }[]): Row {
  const ratio = median(waits.map(({ alone, meanwhile }) => meanwhile / alone));
  return {
    what: 'GET /user while they go out, p99',
    ours: ms(median(waits.map(({ meanwhile }) => meanwhile))),
    theirs: `${ms(median(waits.map(({ alone }) => alone)))} (without mail)`,
    ratio: times(ratio),
    goal: 'under 2x',
    met: ratio < 2,
  };
}

/** One request after the other; times in ms. */
async function askAround(
  ingot: Ingot,
  amount: number,
  goesOn: () => boolean = () => true,
): Promise<number[]> {
  const taken: number[] = [];
  while (taken.length < amount && goesOn()) {
    const begin = now();
    await getOk(`${ingot.url}/api/v4/user`, ingot.headers);
    taken.push(now() - begin);
  }
  return taken;
}

/** As a comment in a project with so many watchers writes them. */
async function writeMails(dir: string, round: number): Promise<void> {
  const log = createLog('silent');
  const database = await openDatabase({ dir, migrations: allMigrations(), log, metrics: new Metrics() });
  const outbox = new MailOutbox({ clock: systemClock, log, baseUrl: () => BASE, sends: true });
  const content = await noticeMail(aNotice({ eventId: round }), BASE);
  const receivers = Array.from({ length: AMOUNT }, (_, n) => ({
    userId: 1,
    address: `user${n}@example.com`,
    reason: 'watching' as const,
  }));
  await database.transaction((tx) => outbox.enqueue(tx, content, receivers));
  await database.close();
}

/** The same mail as ours, headers and all. */
async function sendBare(port: number): Promise<void> {
  const { subject, text, html, headers } = await noticeMail(aNotice(), BASE);
  const mail = JSON.stringify({ from: 'Ann <ingot@ingot.test>', subject, text, html, headers });
  await run(process.execPath, [file('./bare-pool.ts'), String(port), String(AMOUNT), mail]);
}

interface Sink {
  port: number;
  /** Mails a second from the first to the last of `AMOUNT`, while `work` runs; it is told when the last one has come. */
  rate(work: (whileRunning: () => boolean) => Promise<void>): Promise<number>;
  stop(): void;
}

async function startSink(): Promise<Sink> {
  const port = await freePort();
  const child: ChildProcess = fork(file('./sink.ts'), [String(port)]);
  let taken = 0;
  let onTaken = () => {};
  await new Promise<void>((resolve) => {
    child.on('message', (message: { taken: number }) => {
      taken = message.taken;
      onTaken();
      resolve();
    });
  });
  return {
    port,
    async rate(work) {
      const before = taken;
      const done = Promise.withResolvers<void>();
      let first = 0;
      let firstCount = 0;
      let last = 0;
      onTaken = () => {
        if (first === 0 && taken > before) {
          first = now();
          firstCount = taken - before;
        }
        if (last === 0 && taken - before >= AMOUNT) {
          last = now();
          done.resolve();
        }
      };
      await Promise.all([work(() => last === 0), done.promise]);
      onTaken = () => {};
      return ((AMOUNT - firstCount) / (last - first)) * 1000;
    },
    stop: () => void child.kill(),
  };
}
