import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import autocannon from 'autocannon';

/** Figures of one bench; absolute values mean little on a shared machine, so every row ends in a ratio. */
export interface Row {
  what: string;
  ours: string;
  theirs: string;
  ratio: string;
  goal: string;
  met: boolean;
}

export const median = (values: number[]): number => quantile(values, 0.5);

export function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = now();
  await work();
  return now() - start;
}

/** Two things in turn, A B B A …, so that a drift of the machine meets both. Medians in ms. */
export async function paired(
  runs: number,
  a: (run: number) => Promise<unknown>,
  b: (run: number) => Promise<unknown>,
): Promise<{ a: number; b: number; ratio: number }> {
  const as: number[] = [];
  const bs: number[] = [];
  for (let run = 0; run < runs; run++) {
    // Who comes second finds the disk's pages read already: each is second as often as the other.
    if (run % 2 === 1) bs.push(await timed(() => b(run)));
    as.push(await timed(() => a(run)));
    if (run % 2 === 0) bs.push(await timed(() => b(run)));
  }
  const ratios = as.map((value, index) => value / (bs[index] ?? Number.NaN));
  return { a: median(as), b: median(bs), ratio: median(ratios) };
}

export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

/** Keeps `connections` busy with one request; throws when an answer is not 2xx, because a fast error proves nothing. */
export async function load(
  url: string,
  options: { connections: number; seconds?: number; amount?: number; headers?: Record<string, string> },
): Promise<Load> {
  const result = await autocannon({
    url,
    connections: options.connections,
    ...(options.amount ? { amount: options.amount } : { duration: options.seconds ?? 4 }),
    headers: options.headers ?? {},
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers not 2xx, ${result.errors} errors`);
  }
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

export interface Side {
  url: string;
  headers?: Record<string, string>;
}

const ROUNDS = 3;
const ROUND_SECONDS = 2;
/** Whoever answers less often than this is given longer, so that a round holds more than a handful of answers. */
const SLOW_PER_SECOND = 10;
const SLOW_ROUND_SECONDS = 15;
/** Until V8 has compiled what a request runs through; the first seconds are half as fast as what follows. */
const WARM_UP_SECONDS = 4;

/** Two servers under the same load in turn, after a warm-up of each: the median of the ratios of requests a second. */
export async function loadPair(
  ours: Side,
  theirs: Side,
  connections: number,
): Promise<{ ours: number; theirs: number; ratio: number }> {
  const ask = async ({ url, headers = {} }: Side, seconds: number) =>
    (await load(url, { connections, seconds, headers })).perSecond;
  await ask(ours, WARM_UP_SECONDS);
  const isSlow = (await ask(theirs, WARM_UP_SECONDS)) < SLOW_PER_SECOND;
  const theirSeconds = isSlow ? SLOW_ROUND_SECONDS : ROUND_SECONDS;
  const rounds: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ ours: await ask(ours, ROUND_SECONDS), theirs: await ask(theirs, theirSeconds) });
  }
  return {
    ours: median(rounds.map((round) => round.ours)),
    theirs: median(rounds.map((round) => round.theirs)),
    ratio: median(rounds.map((round) => round.ours / round.theirs)),
  };
}

/** Median time of sequential requests in ms: finer than the load generator's whole milliseconds. */
export async function sequential(
  url: string,
  headers: Record<string, string>,
  amount = 300,
): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < amount; i++) times.push(await timed(() => getOk(url, headers)));
  return median(times);
}

const agent = new Agent({ keepAlive: true });

/** A GET over a kept connection: `fetch` would add half a millisecond of its own to what is timed. */
export function getOk(url: string, headers: Record<string, string>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => {
        const body = Buffer.concat(chunks);
        if (answer.statusCode === 200) resolve(body);
        else reject(new Error(`GET ${url}: ${answer.statusCode} ${body.toString()}`));
      });
    });
    asked.once('error', reject);
    asked.end();
  });
}

export async function fetchOk(url: string, init: RequestInit = {}): Promise<Buffer> {
  const response = await fetch(url, init);
  const body = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${url}: ${response.status} ${body.toString()}`);
  return body;
}

/** Runs a program to its end; its output is thrown away unless wanted. */
export function run(
  command: string,
  args: string[],
  { input, ...options }: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {},
) {
  return new Promise<string>((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end(input);
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`${command} ${args.join(' ')}: ${code} ${err}`)),
    );
  });
}

export const git = (cwd: string, ...args: string[]) => run('git', args, { cwd });

export function report(rows: Row[]): void {
  console.log('| what | Ingot | against | ratio | goal | met |\n|---|---|---|---|---|---|');
  for (const { what, ours, theirs, ratio, goal, met } of rows) {
    console.log(`| ${what} | ${ours} | ${theirs} | ${ratio} | ${goal} | ${met ? 'yes' : 'NO'} |`);
  }
}

export const ms = (value: number): string => `${value.toPrecision(3)} ms`;
export const rps = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)}/s`;
export const times = (value: number): string => `${value.toPrecision(3)}x`;
