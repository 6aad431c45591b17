import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ingot } from '../lib/ingot.ts';
import { now, type Row } from '../lib/measure.ts';

const RUNNERS = 500;
/** As the stock runner waits between two questions. */
const INTERVAL_MS = 3000;
const MEASURED_MS = 60_000;
/** Of /proc: ticks a second, the same on every Linux that people run. */
const TICKS = 100;

/** What 500 runners cost that wait for a job and get none. */
export async function idleRunnersRow({ ingot }: { ingot: Ingot }): Promise<Row[]> {
  const tokens: string[] = [];
  for (let n = 0; n < RUNNERS; n++) {
    const body = { runner_type: 'instance_type', tag_list: [`kind-${n % 20}`] };
    tokens.push((await ingot.api<{ token: string }>('POST', '/user/runners', body)).token);
  }
  await ingot.settled();
  const stop = new AbortController();
  const polling = tokens.map((token) => poll(ingot.url, token, stop.signal));
  await sleep(10_000);
  const before = cpuMs(ingot.pid);
  const begin = now();
  await sleep(MEASURED_MS);
  const share = (cpuMs(ingot.pid) - before) / (now() - begin);
  stop.abort();
  await Promise.all(polling);
  const percent = share * 100;
  return [
    {
      what: `${RUNNERS} idle runners`,
      ours: `${percent.toFixed(2)} % of a core`,
      theirs: 'the clock',
      ratio: `${percent.toFixed(2)} %`,
      goal: 'under 3 %',
      met: percent < 3,
    },
  ];
}

const agent = new Agent({ keepAlive: true, maxSockets: RUNNERS });

async function poll(url: string, token: string, signal: AbortSignal): Promise<void> {
  let lastUpdate = '';
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {}); // ended: the loop sees it
  await pause(Math.random() * INTERVAL_MS);
  while (!signal.aborted) {
    lastUpdate = await ask(url, { token, system_id: 's_idle', last_update: lastUpdate }, signal);
    await pause(INTERVAL_MS);
  }
}

/** Gives what the answer says is to be sent next; nothing when the measuring ends meanwhile. */
function ask(url: string, question: Record<string, string>, signal: AbortSignal): Promise<string> {
  const body = JSON.stringify({
    ...question,
    info: { name: 'gitlab-runner', version: '17.9.0', features: {} },
  });
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const asked = request(`${url}/api/v4/jobs/request`, { agent, method: 'POST', headers, signal });
    asked.once('error', (error) => (signal.aborted ? resolve('') : reject(error)));
    asked.once('response', (answer) => {
      answer.resume();
      if (answer.statusCode === 204) resolve(String(answer.headers['x-gitlab-last-update']));
      else reject(new Error(`a poll answered ${answer.statusCode}`));
    });
    asked.end(body);
  });
}

/** Time on a processor so far, of all threads, user and system. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}
