import autocannon from 'autocannon';
import { load, ms, type Row, rps, times } from '../lib/measure.ts';
import { queryBody } from '../lib/zoekt.ts';
import type { Bench } from '../search.ts';
import { asked } from './code.ts';
import { QUESTIONS } from './queries.ts';

const SECONDS = 8;

/** Eight clients that ask all questions in turn; and what one more client of another route feels of them. */
export async function loadRows(bench: Bench): Promise<Row[]> {
  const { ingot, zoekt, project } = bench;
  const other = { connections: 1, seconds: SECONDS, headers: ingot.headers };
  const url = `${ingot.url}/api/v4/projects/${project}`;
  const calm = await load(url, other);
  const [ours, busy] = await Promise.all([searchOurs(bench), load(url, other)]);
  const rows: Row[] = [
    {
      what: "another route's p99 while 8 clients search",
      ours: ms(busy.p99),
      theirs: `${ms(calm.p99)} (nobody searches)`,
      ratio: times(busy.p99 / calm.p99),
      goal: 'under 2x',
      met: busy.p99 / calm.p99 < 2,
    },
  ];
  const alone = await searchOurs(bench);
  if (zoekt) {
    const theirs = await searchTheirs(zoekt.url);
    rows.push({
      what: '8 clients at once, all questions in turn',
      ours: rps(alone),
      theirs: `${rps(theirs)} (Zoekt)`,
      ratio: times(alone / theirs),
      goal: 'over 1x',
      met: alone > theirs,
    });
  }
  console.error(`(${rps(ours)} beside the other route)`);
  return rows;
}

async function searchOurs(bench: Bench): Promise<number> {
  const requests = QUESTIONS.map((question) => {
    const { pathname, search } = new URL(asked(bench, question));
    return { method: 'GET' as const, path: pathname + search, headers: bench.ingot.headers };
  });
  return rate(bench.ingot.url, requests);
}

const searchTheirs = (url: string): Promise<number> =>
  rate(
    url,
    QUESTIONS.map(({ theirs }) => ({
      method: 'POST' as const,
      path: '/api/search',
      body: queryBody(theirs),
    })),
  );

async function rate(url: string, requests: autocannon.Request[]): Promise<number> {
  const result = await autocannon({ url, connections: 8, duration: SECONDS, requests });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} not 2xx`);
  return result.requests.total / result.duration;
}
