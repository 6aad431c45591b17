import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JobWhen } from '../config/plan.ts';
import type { JobStatus } from '../states.ts';
import { Board, type ProcessedJob, type Verdict } from './readiness.ts';
import { skippedBehind } from './reset-skipped.ts';

let ids = 0;
const job = (name: string, more: Partial<ProcessedJob> = {}): ProcessedJob => ({
  id: ++ids,
  name,
  status: 'created',
  allow_failure: 0,
  stage_idx: 0,
  scheduling: 'stage',
  when: 'on_success',
  ...more,
});

/** What becomes of a job behind one in this state, written down from GitLab's table: w(ait), s(kip) or g(o). */
const TABLE: Record<'stage' | 'dag', Record<JobWhen, Partial<Record<JobStatus, string>>>> = {
  stage: {
    on_success: { success: 'g', failed: 's', canceled: 's', skipped: 'g', running: 'w', manual: 'w' },
    manual: { success: 'g', failed: 's', canceled: 's', skipped: 'g', pending: 'w' },
    delayed: { success: 'g', failed: 's', canceled: 's', skipped: 'g', scheduled: 'w' },
    on_failure: { success: 's', failed: 'g', canceled: 's', skipped: 's', canceling: 'w' },
    always: { success: 'g', failed: 'g', canceled: 's', skipped: 'g', waiting_for_resource: 'w' },
  },
  dag: {
    on_success: { success: 'g', failed: 's', canceled: 's', skipped: 's', running: 'w', manual: 'w' },
    manual: { success: 'g', failed: 's', canceled: 's', skipped: 's', pending: 'w' },
    delayed: { success: 'g', failed: 's', canceled: 's', skipped: 's', scheduled: 'w' },
    on_failure: { success: 's', failed: 'g', canceled: 's', skipped: 's', canceling: 'w' },
    always: { success: 'g', failed: 'g', canceled: 's', skipped: 'g', waiting_for_resource: 'w' },
  },
};
const VERDICTS: Record<string, Verdict> = { w: 'wait', s: 'skip', g: 'go' };

describe('what may begin', () => {
  it('follows from what comes before and from `when`', () => {
    for (const scheduling of ['stage', 'dag'] as const) {
      for (const [when, expected] of Object.entries(TABLE[scheduling])) {
        for (const [status, letter] of Object.entries(expected)) {
          const before = job('before', { status: status as JobStatus });
          const behind = job('behind', { stage_idx: 1, scheduling, when: when as JobWhen });
          const board = new Board([before, behind], new Map([[behind.id, ['before']]]));
          assert.equal(board.verdict(behind), VERDICTS[letter], `${scheduling} ${when} behind ${status}`);
        }
      }
    }
  });

  it('is asked of each job after all that it waits for', () => {
    const jobs = [
      job('c', { scheduling: 'dag' }),
      job('late', { stage_idx: 1 }),
      job('b', { scheduling: 'dag' }),
      job('a'),
      job('done', { status: 'success' }),
    ];
    const needs = new Map([
      [jobs[0]!.id, ['b', 'done']],
      [jobs[2]!.id, ['a', 'nobody']],
    ]);
    const order = new Board(jobs, needs).undecided().map(({ name }) => name);
    assert.deepEqual(order, ['a', 'b', 'c', 'late']);
  });

  it('ends with jobs that need each other, too', () => {
    const jobs = [job('x', { scheduling: 'dag' }), job('y', { scheduling: 'dag' })];
    const needs = new Map([
      [jobs[0]!.id, ['y']],
      [jobs[1]!.id, ['x']],
    ]);
    const board = new Board(jobs, needs);
    assert.deepEqual(
      board.undecided().map((each) => board.verdict(each)),
      ['wait', 'wait'],
    );
  });

  it('comes back where it was skipped behind a job that begins again, and nowhere else', () => {
    const skipped = { status: 'skipped' as const };
    const jobs = [
      job('same stage', { ...skipped, stage_idx: 1 }),
      job('later', { ...skipped, stage_idx: 2 }),
      job('needs it', { ...skipped, scheduling: 'dag', stage_idx: 1 }),
      job('needs that', { ...skipped, scheduling: 'dag', stage_idx: 3 }),
      job('needs another', { ...skipped, scheduling: 'dag', stage_idx: 3 }),
      job('ended', { status: 'failed', stage_idx: 2 }),
    ];
    const needs = new Map([
      [jobs[3]!.id, ['needs it']],
      [jobs[2]!.id, ['again']],
      [jobs[4]!.id, ['same stage']],
    ]);
    const back = skippedBehind({ name: 'again', stage_idx: 1 }, jobs, needs).map(({ name }) => name);
    assert.deepEqual(back.sort(), ['later', 'needs it', 'needs that']);
  });
});
