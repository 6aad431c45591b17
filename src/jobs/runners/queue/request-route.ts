import type { Core, CoreApi } from '../../../core/core.ts';
import { FairMutex } from '../../../platform/db/fair-mutex.ts';
import { Answer, noContent } from '../../../platform/http/answer.ts';
import { optional, param, params } from '../../../platform/http/params.ts';
import { isHash } from '../../../platform/http/rack.ts';
import type { ApiRequest } from '../../../platform/http/request.ts';
import type { Static } from '../../../platform/http/schema.ts';
import type { JobPorts } from '../../ports.ts';
import { type AuthenticateRunner, runnerAuthenticator } from '../authenticate-runner.ts';
import { contactNoter, type NoteContact } from '../contact.ts';
import { JobRequest } from '../payload/schema.ts';
import { contactOf, SYSTEM_ID_PARAM } from '../protocol.ts';
import type { RunnerRow } from '../tables.ts';
import { takeJob } from './take.ts';
import type { Ticket, Waiting } from './waiting.ts';

/** GitLab's proxy accepts no more, and no runner tells as much. */
const BODY_LIMIT = 32 * 1024;
/** As GitLab's packages have it: well below the ten minutes that runners wait for an answer. */
const HOLD_MS = 50_000;
/** As a writer of SQLite, or a row's lock on PostgreSQL, is waited for at most. */
const LINE = { maxWaiting: 10_000, maxWaitMs: 10_000 };

const requestParams = params({
  token: param.string({ description: "The runner's." }),
  system_id: SYSTEM_ID_PARAM,
  last_update: optional(
    param.string({ description: 'What the last answer said; the call waits for a job where it is given.' }),
  ),
  info: optional(param.anyHash({ description: 'What the runner is and can do.' })),
  session: optional(param.anyHash()),
});

type Call = ApiRequest<null, Static<typeof requestParams>, undefined>;

export interface RequestDeps {
  core: Core;
  ports: JobPorts;
  waiting: Waiting;
  /** How long a call waits for a job, in ms. */
  holdMs?: number | undefined;
}

/** `POST /jobs/request`. */
export function requestRoute(api: CoreApi, deps: RequestDeps): void {
  const asking = new Asking(deps);
  api.open('runners').post('/jobs/request', {
    summary: 'A runner asks for a job',
    description: [
      '201 with a job, which is `running` from then on, or 204. A call with the `last_update` of the answer before it is held',
      'for up to 50 seconds until there is a job.',
    ].join(' '),
    params: requestParams,
    responses: { 201: JobRequest, 204: null },
    bodyLimit: BODY_LIMIT,
    handler: (call) => asking.answer(call),
  });
}

class Asking {
  readonly #deps: RequestDeps;
  readonly #line = new FairMutex(LINE);
  readonly #authenticate: AuthenticateRunner;
  readonly #noteContact: NoteContact;

  constructor(deps: RequestDeps) {
    this.#deps = deps;
    this.#authenticate = runnerAuthenticator(deps.core);
    this.#noteContact = contactNoter(deps.core);
  }

  async answer(call: Call): Promise<Answer> {
    const runner = await this.#authenticate(call.params.token);
    const ticket = this.#deps.waiting.join(runner);
    try {
      const payload = await this.#jobFor(call, runner, ticket);
      if (payload) return new Answer(201, payload);
    } finally {
      ticket.leave();
    }
    const { clock } = this.#deps.core;
    return noContent({ 'x-gitlab-last-update': clock.now().toString(16), 'gitlab-ci-builds-polling': 'yes' });
  }

  async #jobFor(call: Call, first: RunnerRow, ticket: Ticket) {
    const deadline = performance.now() + (call.params.last_update ? (this.#deps.holdMs ?? HOLD_MS) : 0);
    let runner = first;
    for (;;) {
      const payload = await this.#take(call, runner);
      if (payload) return payload;
      if (!(await ticket.next(deadline - performance.now(), call.signal))) return null;
      runner = await this.#authenticate(call.params.token);
      ticket.runner = runner;
    }
  }

  async #take(call: Call, runner: RunnerRow) {
    const manager = await this.#noteContact(runner, contactOf(call));
    if (runner.paused === 1) return null;
    const { core, ports } = this.#deps;
    const features = call.params.info?.['features'];
    return takeJob({ ...core, line: this.#line }, ports, {
      runner,
      manager,
      features: isHash(features) ? features : {},
    });
  }
}
