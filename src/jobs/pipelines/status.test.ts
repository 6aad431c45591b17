import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JobStatus } from '../states.ts';
import { summaryOf } from './status.ts';

/** `failed?` is a job that may fail. */
const jobs = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word) => ({ status: word.replace('?', '') as JobStatus, allowFailure: word.endsWith('?') }));

const cases: [string, JobStatus | null][] = [
  ['', null],
  // one row: the pipeline is what it is
  ['created', 'created'],
  ['waiting_for_resource', 'waiting_for_resource'],
  ['preparing', 'preparing'],
  ['waiting_for_callback', 'waiting_for_callback'],
  ['pending', 'pending'],
  ['running', 'running'],
  ['success', 'success'],
  ['failed', 'failed'],
  ['canceling', 'canceling'],
  ['canceled', 'canceled'],
  ['skipped', 'skipped'],
  ['manual', 'manual'],
  ['scheduled', 'scheduled'],
  // several
  ['skipped skipped', 'skipped'],
  ['skipped manual?', 'skipped'],
  ['success skipped', 'success'],
  ['success failed', 'failed'],
  ['success canceled', 'canceled'],
  ['skipped canceled', 'canceled'],
  ['failed canceled', 'failed'],
  ['created skipped pending', 'pending'],
  ['created success', 'running'],
  ['pending success', 'running'],
  ['running failed', 'running'],
  ['success manual', 'manual'],
  ['manual scheduled', 'manual'],
  ['success scheduled', 'scheduled'],
  ['success canceling', 'canceling'],
  // allowed to fail
  ['failed?', 'success'],
  ['canceled?', 'success'],
  ['manual?', 'skipped'],
  ['success failed? manual?', 'success'],
  ['created failed?', 'created'],
  ['running failed?', 'running'],
  ['success failed failed?', 'failed'],
];

describe('the status of a pipeline', () => {
  for (const [given, expected] of cases) {
    it(`of [${given}] is ${expected}`, () => {
      assert.equal(summaryOf(jobs(given)), expected);
    });
  }
});
