import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ArtifactBench } from '../jobs-artifacts.ts';
import { memoryOf } from '../lib/ingot.ts';
import { median, type Row, timed, times } from '../lib/measure.ts';
import { takeJobs } from './take-job.ts';

const MB = 1024 * 1024;
const SIZE = 1024 * MB;
const ROUNDS = 3;
const BOUNDARY = 'bench-0123456789';
const HEAD =
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="artifacts.zip"\r\n` +
  'Content-Type: application/octet-stream\r\n\r\n';
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

/** 1 GB up and down, as the runner sends it, against bare Node that streams the same bytes to the disk and back. */
export async function gigabyteRows({ ingot, bare }: ArtifactBench): Promise<Row[]> {
  await ingot.api('PUT', '/application/settings', { max_artifacts_size: 5000 });
  const jobs = await takeJobs(ingot, ROUNDS, 'gigabytes');
  const ups: [number, number][] = [];
  const downs: [number, number][] = [];
  const before = memoryOf(ingot.pid);
  let peak = before;
  const look = setInterval(() => {
    peak = Math.max(peak, memoryOf(ingot.pid));
  }, 50);
  for (const [round, { id, token, project }] of jobs.entries()) {
    const up = () =>
      send(`${ingot.url}/api/v4/jobs/${id}/artifacts?artifact_format=zip`, { 'job-token': token });
    const bareUp = () => send(`${bare.streamUrl}/file`, {});
    const down = () => receive(`${ingot.url}/api/v4/projects/${project}/jobs/${id}/artifacts`, ingot.headers);
    const bareDown = () => receive(`${bare.streamUrl}/file`, {});
    ups.push(round % 2 ? [await timed(up), await timed(bareUp)] : swap(await timed(bareUp), await timed(up)));
    downs.push(
      round % 2 ? [await timed(down), await timed(bareDown)] : swap(await timed(bareDown), await timed(down)),
    );
  }
  clearInterval(look);
  const growth = peak - before;
  return [
    row('1 GB up', ups),
    row('1 GB down', downs),
    {
      what: '1 GB up and down: memory',
      ours: `${peak.toFixed(0)} MB`,
      theirs: `${before.toFixed(0)} MB before`,
      ratio: `${growth.toFixed(0)} MB more`,
      goal: 'under 64 MB more',
      met: growth < 64,
    },
  ];
}

const swap = (theirs: number, ours: number): [number, number] => [ours, theirs];

function row(what: string, rounds: [ours: number, theirs: number][]): Row {
  const ratio = median(rounds.map(([a, b]) => a / b));
  const speed = (ms: number) => `${((SIZE / MB / ms) * 1000).toFixed(0)} MB/s`;
  return {
    what,
    ours: speed(median(rounds.map(([a]) => a))),
    theirs: `${speed(median(rounds.map(([, b]) => b)))} (bare stream)`,
    ratio: `${times(ratio)} the time`,
    goal: 'under 1.3x',
    met: ratio < 1.3,
  };
}

const NOISE = Buffer.from(Array.from({ length: MB }, () => Math.random() * 256));

function* form(): Generator<Buffer> {
  yield Buffer.from(HEAD);
  for (let sent = 0; sent < SIZE; sent += MB) yield NOISE;
  yield Buffer.from(TAIL);
}

async function send(url: string, headers: Record<string, string>): Promise<void> {
  const asked = request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
  const answered = new Promise<void>((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (answer) => {
      answer.resume();
      if (answer.statusCode === 201) answer.once('end', () => resolve());
      else reject(new Error(`${url}: ${answer.statusCode}`));
    });
  });
  await pipeline(Readable.from(form(), { objectMode: true, highWaterMark: 4 }), asked);
  await answered;
}

function receive(url: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers }, (answer) => {
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      answer.once('error', reject);
      answer.once('end', () =>
        size >= SIZE ? resolve() : reject(new Error(`${url}: ${answer.statusCode}`)),
      );
    });
    asked.once('error', reject);
    asked.end();
  });
}
