import { LRUCache } from 'lru-cache';
import type { Core } from '../../core/core.ts';
import { byteLimit } from '../artifacts/limits.ts';
import type { RunnersJob } from '../runners/job-runs-store.ts';
import { secretBytes } from './cover-secrets.ts';
import { insertTrace, updateTrace } from './store.ts';

/** Values that must not appear in a job's log, beside its token: its masked variables. */
export type SecretsOf = (job: RunnersJob) => Promise<readonly string[]>;

/** A changed limit holds from so much later on for logs that are growing. */
const FRESH_MS = 30_000;

interface Facts {
  debug: boolean;
  secrets: readonly Buffer[];
  token: string;
  maxBytes: number;
  readAt: number;
}

/** What must be known of a job for each piece of its log, and costs too much to be asked each time. */
export class JobFacts {
  readonly #core: Pick<Core, 'db' | 'settings' | 'clock'>;
  readonly #secretsOf: SecretsOf;
  readonly #known = new LRUCache<number, Facts>({ max: 2000 });

  constructor(core: Pick<Core, 'db' | 'settings' | 'clock'>, secretsOf: SecretsOf) {
    this.#core = core;
    this.#secretsOf = secretsOf;
  }

  /** Before the first piece is written: the row that names the file comes before the file. */
  async of(job: RunnersJob, { token, debug }: { token: string; debug: boolean }): Promise<Facts> {
    const { db, clock } = this.#core;
    const known = this.#known.get(job.id);
    const now = clock.now();
    const isFresh = known !== undefined && now - known.readAt < FRESH_MS && known.token === token;
    if (isFresh && (known.debug || !debug)) return known;
    await insertTrace(db, job, { debug, now });
    if (debug) await updateTrace(db, job.id, { debug: 1 });
    const [secrets, maxBytes] = await Promise.all([
      this.#secretsOf(job),
      byteLimit(this.#core, job.project_id, 'ci_jobs_trace_size_limit'),
    ]);
    const facts = { debug, secrets: secretBytes([token, ...secrets]), token, maxBytes, readAt: now };
    this.#known.set(job.id, facts);
    return facts;
  }
}
