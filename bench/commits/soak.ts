import type { Bench } from '../commits.ts';
import { childrenOf, memoryOf } from '../lib/ingot.ts';
import { fetchOk, git, ms, now, quantile, type Row, times } from '../lib/measure.ts';

const ROUNDS = 5;
const REQUESTS_A_ROUND = 4000;
const CONNECTIONS = 32;

/**
 * 20,000 mixed requests with 32 at a time. Memory is compared between the second round and the last, each followed by a
 * rest: the first round fills caches, which have a bound.
 */
export async function soakRows({ ingot, project, source }: Bench): Promise<Row[]> {
  const shas = (await git(source, 'log', '-3000', '--format=%H', 'HEAD~100')).trim().split('\n');
  const base = `/projects/${project}/repository`;
  const sha = (i: number) => shas[(i * 7919) % shas.length];
  const requests: ((i: number) => Promise<unknown>)[] = [
    () => get(`${base}/commits`),
    (i) => get(`${base}/commits?page=${1 + (i % 50)}`),
    (i) => get(`${base}/commits/${sha(i)}`),
    (i) => get(`${base}/commits/${sha(i)}/diff`),
    (i) => get(`${base}/commits/${sha(i)}/statuses`),
    () => get(`${base}/branches`),
    () => get(`${base}/tree`),
    () => get(`/projects/${project}`),
    () => get('/user'),
    (i) =>
      i % 10 === 0
        ? ingot.api('POST', `/projects/${project}/statuses/${sha(i)}`, { state: 'success', name: `job ${i}` })
        : get(`${base}/commits/${sha(i)}/comments`),
  ];
  const get = (path: string) => fetchOk(`${ingot.url}/api/v4${path}`, { headers: ingot.headers });
  const latencies: number[] = [];
  const memory: number[] = [];
  let counter = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const end = counter + REQUESTS_A_ROUND;
    const worker = async () => {
      while (counter < end) {
        const i = counter++;
        const start = now();
        await requests[i % requests.length]?.(i);
        latencies.push(now() - start);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    await new Promise((resolve) => setTimeout(resolve, 2000));
    memory.push(memoryOf(ingot.pid, { tree: false }));
  }
  const p50 = quantile(latencies, 0.5);
  const p99 = quantile(latencies, 0.99);
  const growth = (memory.at(-1) ?? 0) / (memory[1] ?? 1);
  await new Promise((resolve) => setTimeout(resolve, 35_000));
  const children = childrenOf(ingot.pid).length;
  return [
    {
      what: `${latencies.length} mixed requests, c=${CONNECTIONS}: p99`,
      ours: ms(p99),
      theirs: `${ms(p50)} (p50)`,
      ratio: times(p99 / p50),
      goal: 'under 20x',
      met: p99 / p50 < 20,
    },
    {
      what: 'memory after them',
      ours: `${memory.at(-1)?.toFixed(0)} MB`,
      theirs: `${memory[1]?.toFixed(0)} MB (after 8,000)`,
      ratio: times(growth),
      goal: 'flat to within 10 %',
      met: growth < 1.1,
    },
    {
      what: 'processes left when idle',
      ours: String(children),
      theirs: '0',
      ratio: '',
      goal: 'none',
      met: children === 0,
    },
  ];
}
