import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import type { CallOptions } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { MergeRequestBench } from '../merge-requests/testing.ts';
import { timeSpent } from './store.ts';

const HOUR = 3600;

for (const kind of dialects) {
  describe(`time on a merge request on ${kind}`, () => {
    let bench: MergeRequestBench;
    let project: ProjectWithNamespace;
    let id: number;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
      project = await bench.prepare();
      ({ id } = await bench.opened(project));
    });
    after(() => bench.service.close());

    const call = (method: string, verb: string, options: CallOptions = {}) =>
      bench.service.api(method, bench.at(project, `/1/${verb}`), options);
    const stats = async () => (await call('GET', 'time_stats')).body;
    const spend = (duration: string, more: Record<string, unknown> = {}) =>
      call('POST', 'add_spent_time', { body: { duration, ...more } });
    const told = async () => {
      const query = { activity_filter: 'only_activity', sort: 'asc' };
      const { body } = await call('GET', 'notes', { query });
      await bench.service.core.db.deleteFrom('notes').execute();
      return body.map((note: { body: string }) => note.body);
    };
    const nothing = {
      time_estimate: 0,
      total_time_spent: 0,
      human_time_estimate: null,
      human_total_time_spent: null,
    };

    it('is none at first', async () => assert.deepEqual(await stats(), nothing));

    it('is estimated, and the estimate is taken away again', async () => {
      const set = await call('POST', 'time_estimate', { query: { duration: '1w 3h 30m' } });
      assert.equal(set.status, 200);
      const estimated = { time_estimate: 43.5 * HOUR, human_time_estimate: '1w 3h 30m' };
      assert.deepEqual(set.body, { ...nothing, ...estimated });
      assert.deepEqual(await stats(), set.body);
      await call('POST', 'time_estimate', { body: { duration: '1w 3h 30m' } });
      const reset = await call('POST', 'reset_time_estimate');
      assert.deepEqual([reset.status, reset.body], [200, nothing]);
      assert.deepEqual(await told(), ['changed time estimate to 1w 3h 30m', 'removed time estimate']);
    });

    it('is spent, taken back in part and as a whole', async () => {
      const one = await spend('1h 30m', { summary: 'Reading' });
      assert.deepEqual([one.status, one.body.total_time_spent], [201, 1.5 * HOUR]);
      assert.equal((await spend('1d')).body.human_total_time_spent, '1d 1h 30m');
      assert.equal((await spend('-30m')).body.human_total_time_spent, '1d 1h');
      const reset = await call('POST', 'reset_spent_time');
      assert.deepEqual([reset.status, reset.body], [200, nothing]);
      assert.deepEqual((await call('POST', 'reset_spent_time')).body, nothing);
      assert.deepEqual(await told(), [
        'added 1h 30m of time spent',
        'added 1d of time spent',
        'subtracted 30m of time spent',
        'removed time spent',
      ]);
      const logs = await bench.service.core.db.selectFrom('timelogs').selectAll().orderBy('id').execute();
      assert.deepEqual(
        logs.map(({ time_spent, summary }) => [time_spent, summary]),
        [
          [5400, 'Reading'],
          [28_800, null],
          [-1800, null],
          [-32_400, null],
        ],
      );
    });

    it('is counted for many at once', async () => {
      await spend('2h');
      await spend('1h');
      const found = await timeSpent(bench.service.core.db, 'MergeRequest', [id, id + 1]);
      assert.deepEqual([...found], [[id, 3 * HOUR]]);
      await call('POST', 'reset_spent_time');
    });

    it('cannot be taken back twice by two at once', async () => {
      await spend('1h');
      const replies = await Promise.all([spend('-1h'), spend('-1h'), spend('-1h')]);
      assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 400, 400]);
      assert.deepEqual(await stats(), nothing);
    });

    const refused: [verb: string, body: Record<string, unknown>, answer: unknown][] = [
      ['time_estimate', {}, { error: 'duration is missing' }],
      ['time_estimate', { duration: 'soon' }, { message: { time_estimate: [/valid format/] } }],
      ['time_estimate', { duration: '-1h' }, { message: { time_estimate: [/valid format/] } }],
      ['add_spent_time', {}, { error: 'duration is missing' }],
      ['add_spent_time', { duration: 'long' }, { error: 'duration is invalid' }],
      ['add_spent_time', { duration: '0' }, { error: 'duration is invalid' }],
      ['add_spent_time', { duration: `${'9'.repeat(400)}h` }, { error: 'duration is invalid' }],
      ['add_spent_time', { duration: ['1h'] }, { error: 'duration is invalid' }],
    ];
    for (const [verb, body, answer] of refused) {
      it(`refuses ${verb} of ${JSON.stringify(body).slice(0, 40)}`, async () => {
        const reply = await call('POST', verb, { body });
        assert.equal(reply.status, 400);
        const texts = JSON.stringify(answer, (_, value) => (value instanceof RegExp ? value.source : value));
        for (const word of texts.match(/[a-z_]+/g) ?? []) assert.ok(reply.text.includes(word), reply.text);
      });
    }

    it('refuses to take back more than was spent, and summaries without end', async () => {
      const much = await spend('-1h');
      const text = 'Time to subtract exceeds the total time spent';
      assert.deepEqual([much.status, much.body], [400, { message: { base: [text] } }]);
      assert.equal((await spend('1h', { summary: 'x'.repeat(256) })).status, 400);
      for (let i = 0; i < 4; i++) await spend('200000h');
      assert.ok((await stats()).total_time_spent < 2 ** 31);
      await call('POST', 'reset_spent_time');
    });

    it('is read by readers and written by developers', async () => {
      const { token } = bench.reporter;
      assert.equal((await call('GET', 'time_stats', { token })).status, 200);
      for (const verb of ['time_estimate', 'reset_time_estimate', 'add_spent_time', 'reset_spent_time']) {
        assert.equal((await call('POST', verb, { token, body: { duration: '1h' } })).status, 403, verb);
        const developer = { token: bench.dev.token, body: { duration: '1h' } };
        assert.ok((await call('POST', verb, developer)).status < 300, verb);
      }
      assert.equal((await call('GET', 'time_stats', { token: bench.guest.token })).status, 403);
      const missing = await bench.service.api('GET', bench.at(project, '/9/time_stats'));
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
    });
  });
}
