import { Agent, request } from 'node:http';
import type { ArtifactBench } from '../jobs-artifacts.ts';
import { median, now, type Row, rps } from '../lib/measure.ts';
import { takeJobs } from './take-job.ts';

const PIECE = Buffer.from('a line of a log, as long as they are\n'.repeat(2000)).subarray(0, 64 * 1024);
const CONNECTIONS = 8;
const ROUND_MS = 3000;
const ROUNDS = 5;

/** 64 kB PATCHes of eight jobs at once, against a bare Fastify route that appends the same bytes to a file. */
export async function traceRow({ ingot, bare }: ArtifactBench): Promise<Row[]> {
  await ingot.api('PUT', '/application/settings', { ci_jobs_trace_size_limit: 100_000 });
  const jobs = await takeJobs(ingot, CONNECTIONS, 'traces');
  const sizes = jobs.map(() => 0);
  const ours = (lane: number) => {
    const { id, token } = jobs[lane]!;
    const start = sizes[lane]!;
    sizes[lane] = start + PIECE.length;
    return patch(`${ingot.url}/api/v4/jobs/${id}/trace?debug_trace=false`, {
      'job-token': token,
      'content-range': `${start}-${start + PIECE.length - 1}`,
    });
  };
  const theirs = (lane: number) => patch(`${bare.appendUrl}/log-${lane}`, {});
  await rate(ours);
  await rate(theirs);
  const rounds: [ours: number, theirs: number][] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push([await rate(ours), await rate(theirs)]);
  const ratio = median(rounds.map(([a, b]) => a / b));
  return [
    {
      what: '64 kB PATCH of a log',
      ours: rps(median(rounds.map(([a]) => a))),
      theirs: `${rps(median(rounds.map(([, b]) => b)))} (bare append)`,
      ratio: `${ratio.toFixed(2)} of it`,
      goal: 'over 0.5',
      met: ratio > 0.5,
    },
  ];
}

async function rate(send: (lane: number) => Promise<void>): Promise<number> {
  const begin = now();
  let sent = 0;
  const lane = async (number: number) => {
    while (now() - begin < ROUND_MS) {
      await send(number);
      sent++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => lane(i)));
  return (sent / (now() - begin)) * 1000;
}

const agent = new Agent({ keepAlive: true });

function patch(url: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      agent,
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'text/plain', 'content-length': PIECE.length },
    });
    asked.once('error', reject);
    asked.once('response', (answer) => {
      answer.resume();
      if (answer.statusCode === 202) answer.once('end', () => resolve());
      else reject(new Error(`${url}: ${answer.statusCode}`));
    });
    asked.end(PIECE);
  });
}
