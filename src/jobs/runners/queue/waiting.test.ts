import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import type { RunnerRow } from '../tables.ts';
import type { OfferedJob } from './queue-store.ts';
import { type Ticket, Waiting } from './waiting.ts';

const RUNNER: RunnerRow = {
  id: 1,
  runner_type: 'instance_type',
  token_hash: '',
  short_token: '',
  registration: 'authenticated_user',
  namespace_id: null,
  creator_id: null,
  description: null,
  maintenance_note: null,
  paused: 0,
  locked: 0,
  run_untagged: 1,
  access_level: 'not_protected',
  maximum_timeout: null,
  tags: '[]',
  contacted_at: null,
  created_at: 0,
  updated_at: 0,
};
const JOB: OfferedJob = { id: 7, tags: '[]', protected: 0, projectId: 3, settings: '{}', traversal: '/5/9/' };
const never = new AbortController().signal;

/** The jobs that wait are those of the map; runner 4 is the project's own. */
function waitingFor(jobs: Map<number, OfferedJob>): Waiting {
  const reader = { job: async (id: number) => jobs.get(id), runnersOf: async () => new Set([4]) };
  return new Waiting(reader, createLog('silent'));
}

/** Who of them is woken by the job, in turn, when nobody takes it. */
async function shownTo(job: OfferedJob, runners: Partial<RunnerRow>[]): Promise<number[]> {
  const waiting = waitingFor(new Map([[job.id, job]]));
  const shown: number[] = [];
  const wait = async (ticket: Ticket, id: number) => {
    while (await ticket.next(20, never)) shown.push(id);
    ticket.leave();
  };
  const all = runners.map((runner, index) => {
    const row = { ...RUNNER, id: index + 1, ...runner };
    return wait(waiting.join(row), row.id);
  });
  waiting.offer(job.id);
  await Promise.all(all);
  return shown;
}

describe('the runners that wait', () => {
  it('are shown a job one after the other, in the order in which they came', async () => {
    assert.deepEqual(await shownTo(JOB, [{}, {}, {}]), [1, 2, 3]);
  });

  it('are shown nothing that is not for them', async () => {
    const group = { runner_type: 'group_type' as const };
    const project = { runner_type: 'project_type' as const };
    const runners = [
      { tags: '["a"]', run_untagged: 0 },
      { access_level: 'ref_protected' as const },
      { paused: 1 },
      project,
      project,
      { ...group, namespace_id: 5 },
      { ...group, namespace_id: 6 },
      {},
    ];
    assert.deepEqual(await shownTo(JOB, runners), [4, 6, 8]);
    assert.deepEqual(
      await shownTo({ ...JOB, settings: '{"shared_runners_enabled":false}' }, runners),
      [4, 6],
    );
    assert.deepEqual(await shownTo({ ...JOB, settings: '{"group_runners_enabled":false}' }, runners), [4, 8]);
    assert.deepEqual(await shownTo({ ...JOB, settings: '{"builds_access_level":"disabled"}' }, runners), []);
    assert.deepEqual(await shownTo({ ...JOB, tags: '["a"]', protected: 1 }, runners), [1]);
  });

  it('pass on what one was shown that goes', async () => {
    const waiting = waitingFor(new Map([[JOB.id, JOB]]));
    const first = waiting.join({ ...RUNNER, id: 1 });
    const second = waiting.join({ ...RUNNER, id: 2 });
    const woken = first.next(1000, never);
    const later = second.next(1000, never);
    waiting.offer(JOB.id);
    assert.equal(await woken, true);
    first.leave();
    assert.equal(await later, true);
    second.leave();
  });

  it('are told of what came between their look and their wait', async () => {
    const waiting = waitingFor(new Map([[JOB.id, JOB]]));
    const ticket = waiting.join(RUNNER);
    waiting.offer(JOB.id);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await ticket.next(1000, never), true);
    ticket.leave();
  });

  it('wait no longer than they are to, than their client does, and than the service runs', async () => {
    const waiting = waitingFor(new Map());
    const gone = new AbortController();
    const tickets = [1, 2, 3].map((id) => waiting.join({ ...RUNNER, id })) as [Ticket, Ticket, Ticket];
    assert.equal(await tickets[0].next(1, never), false);
    const aborted = tickets[1].next(60_000, gone.signal);
    gone.abort();
    assert.equal(await aborted, false);
    const closed = tickets[2].next(60_000, never);
    waiting.close();
    assert.equal(await closed, false);
    assert.equal(await waiting.join(RUNNER).next(60_000, never), false);
  });

  it('take up no more room than is bounded', async () => {
    const waiting = waitingFor(new Map());
    for (let n = 0; n < 10_000; n++) waiting.join(RUNNER);
    assert.equal(await waiting.join(RUNNER).next(60_000, never), false);
    waiting.close();
  });
});
