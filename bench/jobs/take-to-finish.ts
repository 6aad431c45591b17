import { Ingot } from '../lib/ingot.ts';
import { median, ms, now, quantile, type Row, rps, times } from '../lib/measure.ts';
import { freshPostgres } from '../lib/postgres.ts';
import { startBareRunnerApi } from './bare-runner-api.ts';
import { connectAnew, doJob, STEPS, type Step, send, type Timed } from './runner-client.ts';

const CLIENTS = 8;
const JOBS_A_ROUND = 120;
const ROUNDS = 3;

/** Jobs done by eight runners at once, against a bare Fastify app that only accepts the same requests; on both databases. */
export async function takeToFinishRows({ ingot }: { ingot: Ingot }): Promise<Row[]> {
  const sqlite = await Place.prepare(ingot);
  const bare = await startBareRunnerApi(await sqlite.payload());
  try {
    await using database = await freshPostgres();
    const other = await Ingot.start({ env: { DATABASE_URL: database.url } });
    try {
      const postgres = await Place.prepare(other);
      const accept = () => rate((timed) => doJob(bare.url, 'none', timed));
      const rounds: [a: Rate, b: Rate, c: Rate][] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const measured: [Rate, Rate, Rate] = [await sqlite.rate(), await accept(), await postgres.rate()];
        if (round > 0) rounds.push(measured); // the first warms all of them up
      }
      return rowsOf(rounds);
    } finally {
      await other.stop();
    }
  } finally {
    bare.stop();
  }
}

interface Rate {
  perSecond: number;
  times: Map<Step, number[]>;
}

/** A project with jobs that wait, and the runner that takes them. */
class Place {
  readonly #ingot: Ingot;
  readonly #project: number;
  readonly #token: string;

  private constructor(ingot: Ingot, project: number, token: string) {
    this.#ingot = ingot;
    this.#project = project;
    this.#token = token;
  }

  static async prepare(ingot: Ingot): Promise<Place> {
    const { id } = await ingot.api<{ id: number }>('POST', '/projects', {
      name: 'work',
      default_branch: 'main',
    });
    const jobs = Array.from({ length: JOBS_A_ROUND }, (_, n) => `job-${n}:\n  script: ["true"]\n`).join('');
    await ingot.api('POST', `/projects/${id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Jobs [skip ci]',
      actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: jobs }],
    });
    const body = { runner_type: 'project_type', project_id: id };
    const { token } = await ingot.api<{ token: string }>('POST', '/user/runners', body);
    return new Place(ingot, id, token);
  }

  async rate(): Promise<Rate> {
    await this.#enqueue();
    return rate((timed) => doJob(`${this.#ingot.url}/api/v4`, this.#token, timed));
  }

  /** What a runner is answered that takes a job; the job is cancelled again. */
  async payload(): Promise<Buffer> {
    const pipeline = await this.#enqueue();
    const question = Buffer.from(
      JSON.stringify({ token: this.#token, info: { features: { refspecs: true } } }),
    );
    const url = `${this.#ingot.url}/api/v4/jobs/request`;
    connectAnew();
    const { body } = await send('POST', url, { 'content-type': 'application/json' }, question);
    await this.#ingot.api('POST', `/projects/${this.#project}/pipelines/${pipeline}/cancel`);
    await this.#ingot.settled();
    return body;
  }

  async #enqueue(): Promise<number> {
    const made = await this.#ingot.api<{ id: number }>('POST', `/projects/${this.#project}/pipeline`, {
      ref: 'main',
    });
    await this.#ingot.settled();
    return made.id;
  }
}

async function rate(work: (timed: Timed) => Promise<void>): Promise<Rate> {
  const measured = new Map<Step, number[]>(STEPS.map((step) => [step, []]));
  const timed: Timed = async (step, expected, call) => {
    const begin = now();
    const answer = await call();
    measured.get(step)?.push(now() - begin);
    if (answer.status !== expected) throw new Error(`${step}: ${answer.status} ${answer.body.toString()}`);
    return answer;
  };
  connectAnew();
  let left = JOBS_A_ROUND;
  const lane = async () => {
    while (left-- > 0) await work(timed);
  };
  const begin = now();
  await Promise.all(Array.from({ length: CLIENTS }, lane));
  return { perSecond: (JOBS_A_ROUND / (now() - begin)) * 1000, times: measured };
}

function rowsOf(rounds: readonly [Rate, Rate, Rate][]): Row[] {
  const sqlite = median(rounds.map(([ours]) => ours.perSecond));
  const bare = median(rounds.map(([, theirs]) => theirs.perSecond));
  const postgres = median(rounds.map(([, , other]) => other.perSecond));
  const toBare = median(rounds.map(([ours, theirs]) => ours.perSecond / theirs.perSecond));
  const apart = median(rounds.map(([ours, , other]) => ours.perSecond / other.perSecond));
  return [
    {
      what: 'job from taking to its end, 8 runners',
      ours: rps(sqlite),
      theirs: `${rps(bare)} (bare Fastify)`,
      ratio: `${toBare.toFixed(2)} of it`,
      goal: 'over 0.2',
      met: toBare > 0.2,
    },
    ...STEPS.map((step) =>
      stepRow(
        step,
        rounds.flatMap(([ours]) => ours.times.get(step) ?? []),
      ),
    ),
    {
      what: 'the same on PostgreSQL',
      ours: rps(postgres),
      theirs: `${rps(sqlite)} (SQLite)`,
      ratio: times(apart),
      goal: 'under 2x',
      met: apart < 2,
    },
  ];
}

function stepRow(step: Step, measured: number[]): Row {
  const p50 = median(measured);
  const p99 = quantile(measured, 0.99);
  return {
    what: `p99 of the step: ${step}`,
    ours: ms(p99),
    theirs: `${ms(p50)} (p50)`,
    ratio: times(p99 / p50),
    goal: 'under 10x',
    met: p99 < 10 * p50,
  };
}
