import { Readable } from 'node:stream';
import type { Core, CoreApi } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { Answer, Bytes } from '../../platform/http/answer.ts';
import { fileAnswer } from '../../platform/http/file-answer.ts';
import { pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandBuild } from '../artifacts/find-job.ts';
import type { JobRow } from '../tables.ts';
import { isDebugTrace } from './debug.ts';
import { followLog } from './follow.ts';
import { searchLog } from './search.ts';
import type { OpenLog, Traces } from './traces.ts';

/** Connections that wait for more of some log. */
const MAX_FOLLOWERS = 1000;

interface Parts {
  core: Core;
  traces: Traces;
  /** Fires when the service stops: streams without an end must not hold it up. */
  stopping: AbortSignal;
}

/** `GET /projects/:id/jobs/:job_id/trace`: the log, a part of it, what is found in it, or the log as it grows. */
export function traceReadRoute(api: CoreApi, { core, traces, stopping }: Parts): void {
  const followers = new Followers(core, traces, stopping);
  api.room('jobs').get('/projects/:id/jobs/:job_id/trace', {
    summary: 'The log of a job',
    description:
      'Bytes as the runner sent them; `Range` gives a part. With `Accept: text/event-stream`, server-sent events until the job ends: ' +
      '`log` (a JSON string of what is new; its `id` is the offset behind it, which `Last-Event-ID` takes), `reset`, `end`. With `search`, ' +
      'a JSON list of the lines that hold the text, `{line, offset, text}`, a page of it.',
    params: params({
      id: param.string(),
      job_id: param.integer(),
      search: optional(
        param.string({ description: 'Text to find in the lines, in any case.', maxLength: 1000 }),
      ),
      byte_offset: withDefault(
        param.integer({ minimum: 0, description: 'Only what is behind so many bytes.' }),
        0,
      ),
      byte_limit: optional(param.integer({ minimum: 1, description: 'At most so many bytes.' })),
      ...pageParams,
    }),
    responses: { 200: null, 206: null },
    guard: core.guards.project('read_build'),
    handler: async (call) => {
      const { project, access } = call.guarded;
      const job = await demandBuild(core.db, project.id, call.params.job_id);
      if (await isDebugTrace(core.db, job)) access.demand('update_build');
      const log = await traces.open(job);
      if (!log) throw fail.notFound();
      const { headers, method, signal } = call;
      if (call.params.search) {
        return found(log, { text: call.params.search, page: pageOf(call.params) });
      }
      if (headers.accept?.includes('text/event-stream')) {
        await log.close();
        return followers.follow(job, { lastId: headers['last-event-id'], isHead: method === 'HEAD', signal });
      }
      const { byte_offset: offset, byte_limit: limit } = call.params;
      return sent(spanOf(log, offset, limit ?? log.size), job, call);
    },
  });
}

/** A part of the log as if it were the whole: nothing where it begins behind the end. */
function spanOf(log: OpenLog, offset: number, limit: number): OpenLog {
  const size = Math.max(0, Math.min(limit, log.size - offset));
  if (size === log.size) return log;
  return {
    size,
    close: log.close,
    async read(slice) {
      const { start, end } = slice ?? { start: 0, end: size - 1 };
      if (size > 0) return log.read({ start: offset + start, end: offset + end });
      await log.close();
      return Readable.from([]);
    },
  };
}

const sent = (log: OpenLog, { id }: JobRow, call: Parameters<typeof fileAnswer>[0]): Promise<Answer> =>
  fileAnswer(call, {
    ...log,
    headers: {
      'content-type': 'text/plain',
      'content-disposition': `infile; filename="${id}.log"`,
      'cache-control': 'no-store',
    },
  });

async function found(
  log: OpenLog,
  { text, page }: { text: string; page: { page: number; perPage: number; offset: number } },
): Promise<Answer> {
  const { matches, more } = await searchLog(log, { text, offset: page.offset, limit: page.perPage });
  return new Answer(200, new Bytes(Buffer.from(JSON.stringify(matches))), {
    'content-type': 'application/json',
    'x-page': String(page.page),
    'x-per-page': String(page.perPage),
    'x-next-page': more ? String(page.page + 1) : '',
  });
}

class Followers {
  readonly #core: Core;
  readonly #traces: Traces;
  readonly #stopping: AbortSignal;
  #count = 0;

  constructor(core: Core, traces: Traces, stopping: AbortSignal) {
    this.#core = core;
    this.#traces = traces;
    this.#stopping = stopping;
  }

  follow(job: JobRow, call: { lastId: unknown; isHead: boolean; signal: AbortSignal }): Answer {
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    };
    if (call.isHead) return new Answer(200, undefined, headers);
    if (this.#count >= MAX_FOLLOWERS) throw fail.unavailable(5);
    this.#count++;
    const signal = AbortSignal.any([call.signal, this.#stopping]);
    const from = Number(/^\d{1,15}$/.exec(String(call.lastId))?.[0] ?? 0);
    const events = followLog({ db: this.#core.db, traces: this.#traces }, { jobId: job.id, from, signal });
    const stream = Readable.from(events, { objectMode: false });
    stream.once('close', () => {
      this.#count--;
    });
    return new Answer(200, new Bytes(stream), headers);
  }
}
