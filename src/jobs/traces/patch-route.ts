import type { Core, CoreApi } from '../../core/core.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { readBody } from '../../platform/http/read-body.ts';
import { megabytesText } from '../artifacts/limits.ts';
import { finishJob } from '../processing/finish-job.ts';
import type { AuthenticateJob } from '../runners/authenticate-job.ts';
import type { RunnersJob } from '../runners/job-runs-store.ts';
import type { Appended } from './append.ts';
import type { SentPiece, Traces } from './traces.ts';

/** The stock runner sends 1 MiB at once; other senders may have more patience than that. */
const MAX_PIECE = 10 * 1024 * 1024;
/** As much is looked through for secrets and written before others have a turn. */
const STEP = 1024 * 1024;

/** Seconds until the runner sends what is new. It is the least that the runner knows: logs are read while they grow. */
const UPDATE_INTERVAL = '3';

interface Parts {
  core: Core;
  traces: Traces;
  authenticateJob: AuthenticateJob;
}

/** `PATCH /jobs/:id/trace`: how a runner sends the log, piece by piece. */
export function tracePatchRoute(api: CoreApi, { core, traces, authenticateJob }: Parts): void {
  api.open('runners').patch('/jobs/:id/trace', {
    summary: 'Add a piece to the log of a running job',
    description:
      'The body is the piece, `Content-Range: START-END` its place. 202 says with `Range: 0-SIZE` how long the log is now; 416 says so ' +
      'where the piece does not begin at its end.',
    params: params({
      id: param.integer(),
      token: optional(param.string({ description: 'Of the job; `JOB-TOKEN` as a header.' })),
      debug_trace: optional(
        param.boolean({ description: 'The job prints its variables: its log is for developers only.' }),
      ),
    }),
    responses: { 202: null },
    ownBody: true,
    handler: async (call) => {
      const job = await authenticateJob(call, call.params.id);
      const start = startOf(call.headers['content-range']);
      const bytes = await readBody(call.incoming, MAX_PIECE);
      const token = call.params.token || String(call.headers['job-token']);
      const sent = { start, bytes, token, debug: call.params.debug_trace === true };
      const appended = await appendInSteps(traces, job, sent);
      if (appended.outcome === 'full') throw await failForSize(core, traces, job, appended.maxBytes);
      return answer(job, appended);
    },
  });
}

/** `START-END`, without a unit and perhaps with a total behind a slash; END is not looked at, as GitLab does not. */
function startOf(header: string | undefined): number {
  if (header === undefined) throw fail.params('400 Missing header Content-Range');
  const match = /^(?:bytes )?(\d{1,15})-(?:\d{0,15})(?:\/(?:\d{1,15}|\*))?$/.exec(header.trim());
  if (!match) throw new ApiError('bad_request');
  return Number(match[1]);
}

/** A large piece is several small ones; of one that is sent again, what is there already is passed over. */
async function appendInSteps(
  traces: Traces,
  job: RunnersJob,
  sent: SentPiece,
): Promise<Awaited<ReturnType<Traces['append']>>> {
  const { start, bytes } = sent;
  for (let at = 0; ; at += STEP) {
    const step = { ...sent, start: start + at, bytes: bytes.subarray(at, at + STEP) };
    const appended = await traces.append(job, step);
    if (appended.outcome === 'gap' && appended.size === start + bytes.length) {
      return { ...appended, outcome: 'known' };
    }
    const goesOn = appended.outcome === 'written' || appended.outcome === 'known';
    if (!goesOn || at + STEP >= bytes.length) return appended;
  }
}

function answer(job: RunnersJob, { outcome, size }: Appended): Answer {
  if (outcome === 'busy') throw fail.conflict('409 Conflict');
  const headers = {
    range: `0-${size}`,
    'job-status': job.status,
    'x-gitlab-trace-update-interval': UPDATE_INTERVAL,
  };
  if (outcome === 'gap') throw new ApiError('range_not_satisfiable', {}, { headers });
  return new Answer(202, undefined, headers);
}

/** A log that is cut must not look like a whole one: the job fails, and the log says why. */
async function failForSize(core: Core, traces: Traces, job: RunnersJob, maxBytes: number): Promise<ApiError> {
  await traces.note(job.id, `The log has reached the limit of ${megabytesText(maxBytes)} and is cut here.`);
  const outcome = { status: 'failed', failureReason: 'trace_size_exceeded' } as const;
  const ended = await core.database.transaction((tx) => finishJob(tx, core, job.id, outcome), {
    isolation: 'read committed',
  });
  const reason = `The log has reached the limit of ${megabytesText(maxBytes)}`;
  return new ApiError(
    'forbidden_reason',
    { reason },
    { headers: { 'job-status': ended?.status ?? 'failed' } },
  );
}
