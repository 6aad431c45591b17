import type { Core, CoreApi } from '../../core/core.ts';
import { ApiError } from '../../platform/errors.ts';
import { Answer, Bytes } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { isHash } from '../../platform/http/rack.ts';
import type { ApiRequest } from '../../platform/http/request.ts';
import type { Static } from '../../platform/http/schema.ts';
import { megabytesText } from '../artifacts/limits.ts';
import { beginLocked } from '../pipelines/pipelines.ts';
import { lockPipeline } from '../pipelines/store.ts';
import { finishJob, type JobOutcome } from '../processing/finish-job.ts';
import { findJobById } from '../processing/store.ts';
import { moveJob } from '../processing/transitions.ts';
import type { JobRow } from '../tables.ts';
import type { Traces } from '../traces/traces.ts';
import { atWork, type JobAtWork, jobAuthenticator, jobProver, notAtWork } from './authenticate-job.ts';
import { confirmRun, keepUnconfirmed } from './job-runs-store.ts';
import { FAILURE_REASONS } from './payload/features.ts';

const updateParams = params({
  id: param.integer(),
  token: optional(param.string({ description: "The job's; also as header `JOB-TOKEN`." })),
  state: optional(param.string({ description: '`pending`, `running`, `success` or `failed`.' })),
  failure_reason: optional(param.string()),
  exit_code: optional(param.integer()),
  checksum: optional(param.string()),
  output: optional(
    param.anyHash({ description: '`checksum` and `bytesize` of the whole log, as it was sent.' }),
  ),
});

type Call = ApiRequest<null, Static<typeof updateParams>, undefined>;

/** `PUT /jobs/:id`. */
export function updateJobRoute(api: CoreApi, core: Core, traces: Traces): void {
  const updates = new JobUpdates(core, traces);
  api.open('runners').put('/jobs/:id', {
    summary: 'A runner tells how its job stands',
    description:
      'The answer has the status of the job in `Job-Status`. 412: the log is not what was sent, and is to be sent anew.',
    params: updateParams,
    responses: { 200: null },
    handler: (call) => {
      switch (call.params.state) {
        case 'pending':
          return updates.keep(call);
        case 'running':
          return updates.alive(call);
        case 'success':
        case 'failed':
          return updates.end(call, call.params.state);
        default:
          throw new ApiError('bad_request');
      }
    },
  });
}

class JobUpdates {
  readonly #core: Core;
  readonly #traces: Traces;
  readonly #prove: ReturnType<typeof jobProver>;
  readonly #authenticate: ReturnType<typeof jobAuthenticator>;

  constructor(core: Core, traces: Traces) {
    this.#core = core;
    this.#traces = traces;
    this.#prove = jobProver(core.db);
    this.#authenticate = jobAuthenticator(core);
  }

  /** Before a runner confirms a job it may ask for patience. */
  async keep(call: Call): Promise<Answer> {
    const job = await this.#prove(call, call.params.id);
    if (job.status === 'running' || job.status === 'canceling') throw new ApiError('bad_request');
    if (job.status !== 'pending' || job.unconfirmed_since === null) throw notAtWork(job);
    await keepUnconfirmed(this.#core.db, job.id, this.#core.clock.now());
    return told(job);
  }

  /** The first such word confirms a job that waits for it. */
  async alive(call: Call): Promise<Answer> {
    const proven = await this.#prove(call, call.params.id);
    if (proven.status === 'pending' && proven.unconfirmed_since !== null)
      return told(await this.#begin(proven));
    return told(await atWork(this.#core, proven));
  }

  async end(call: Call, state: 'success' | 'failed'): Promise<Answer> {
    const job = await this.#authenticate(call, call.params.id);
    const outcome = await this.#outcome(call, job, state);
    const ended = await this.#core.database.transaction((tx) => finishJob(tx, this.#core, job.id, outcome), {
      isolation: 'read committed',
    });
    if (!ended) throw new ApiError('forbidden');
    return told(ended);
  }

  #begin(proven: Pick<JobRow, 'id' | 'pipeline_id' | 'status'>): Promise<JobRow> {
    return this.#core.database.transaction(
      async (tx) => {
        const pipeline = await lockPipeline(tx, proven.pipeline_id);
        const job = await findJobById(tx, proven.id);
        if (!pipeline || job?.status !== 'pending') throw notAtWork(job ?? proven);
        if (!(await confirmRun(tx, job.id))) throw notAtWork(job);
        const moved = await moveJob(tx, this.#core, job, 'running');
        await beginLocked(tx, this.#core, pipeline);
        return moved;
      },
      { isolation: 'read committed' },
    );
  }

  async #outcome(call: Call, job: JobAtWork, state: 'success' | 'failed'): Promise<JobOutcome> {
    const verdict = await this.#traces.check(job, claimOf(call));
    if (verdict === 'resend') throw new ApiError('precondition_failed', {}, { headers: statusHeader(job) });
    const { exit_code, failure_reason } = call.params;
    const exitCode = exit_code == null ? null : Math.min(Math.max(exit_code, -32_768), 32_767);
    if (verdict === 'broken') {
      return { status: 'failed', failureReason: 'data_integrity_failure', exitCode };
    }
    const isRefused = await this.#tellRefusal(job);
    if (state === 'failed') return { status: 'failed', failureReason: reasonOf(failure_reason), exitCode };
    if (isRefused) return { status: 'failed', failureReason: 'data_integrity_failure', exitCode };
    return { status: 'success', exitCode };
  }

  /** Whether the job misses an artifact that was too large: then the end of its log says so, also to who never saw the refusal. */
  async #tellRefusal({ id, status, refused_bytes: limit }: JobAtWork): Promise<boolean> {
    if (limit === null || status !== 'running') return false;
    await this.#traces.note(
      id,
      `An artifact was refused: it is larger than the limit of ${megabytesText(limit)}.`,
    );
    return true;
  }
}

function claimOf({ params: { checksum, output } }: Call) {
  const said = isHash(output) ? output : {};
  const text = said['checksum'] ?? checksum;
  const size = said['bytesize'];
  return {
    checksum: typeof text === 'string' ? text : null,
    bytesize: typeof size === 'number' && Number.isSafeInteger(size) ? size : null,
  };
}

/** A word that is none of GitLab's says nothing. */
function reasonOf(text: string | null | undefined): string {
  return FAILURE_REASONS.find((reason) => reason === text) ?? 'unknown_failure';
}

const statusHeader = (job: Pick<JobRow, 'status'>) => ({ 'job-status': job.status });

/** The body is the status as a text: runners look at the header. */
const told = (job: Pick<JobRow, 'status'>): Answer =>
  new Answer(200, new Bytes(Buffer.from('200')), {
    ...statusHeader(job),
    'content-type': 'application/json',
  });
