import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedMember, seedPerson } from '../../../test/support/seed.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { YamlReader } from '../config/yaml/yaml.ts';
import type { CreationDeps } from '../creation/request.ts';
import { PipelineBench } from '../creation/testing.ts';
import { nextRun } from './cron.ts';
import { runDueSchedules } from './run.ts';

describe('when a schedule is due', () => {
  const at = Date.UTC(2026, 2, 28, 12); // the day before summer time begins in Berlin
  const next = async (cron: string, timezone = 'UTC') => {
    const result = await nextRun({ cron, timezone }, at);
    if ('problem' in result) return result.problem;
    return result.at === null ? null : new Date(result.at).toISOString();
  };

  it('goes by five fields and a time zone', async () => {
    assert.equal(await next('0 1 * * 5'), '2026-04-03T01:00:00.000Z');
    assert.equal(await next('*/20 * * * *'), '2026-03-28T12:20:00.000Z');
    assert.equal(await next('0 3 29 3 *', 'Europe/Berlin'), '2026-03-29T01:00:00.000Z');
    assert.equal(await next('0 0 31 2 *'), null);
    assert.equal(await next('0 1 * * *', 'Pacific Time (US & Canada)'), '2026-03-29T08:00:00.000Z');
    assert.equal(await next('0 1 * * *', 'Tokyo'), '2026-03-28T16:00:00.000Z');
  });

  it('is told from what says nothing', async () => {
    assert.equal(await next('* * * * * *'), 'cron');
    assert.equal(await next('now'), 'cron');
    assert.equal(await next(`${'0,'.repeat(500)}0 * * * *`), 'cron');
    assert.equal(await next('0 1 * * *', 'Middle/Earth'), 'timezone');
  });
});

for (const kind of dialects) {
  describe(`pipeline schedules on ${kind}`, () => {
    let bench: PipelineBench;
    let project: ProjectWithNamespace;
    let path: string;
    let ann: { id: number; token: string };
    let bob: { id: number; token: string };

    before(async () => {
      bench = await PipelineBench.open(kind);
      project = await bench.project();
      path = `/projects/${project.id}/pipeline_schedules`;
      ann = await seedPerson(bench.service.core, 'ann');
      bob = await seedPerson(bench.service.core, 'bob');
      await seedMember(bench.service.core, project, ann, Level.developer);
      await seedMember(bench.service.core, project, bob, Level.maintainer);
      const config = 'nightly: { script: a, only: [schedules] }\n';
      await bench.push(project, config);
      // `main` is protected: its pipelines are not for developers
      await bench.push(project, config, { branch: 'side', from: 'main', files: { side: '1' } });
    });
    after(() => bench[Symbol.asyncDispose]());

    const fields = { description: 'Nightly', ref: 'side', cron: '0 1 * * *' };
    const make = (body: object = {}, token = ann.token) =>
      bench.service.api('POST', path, { token, body: { ...fields, ...body } });
    const call = (method: string, at: string, body?: object, token = ann.token) =>
      bench.service.api(method, `${path}/${at}`, { token, ...(body && { body }) });

    it('are made, read, changed and deleted by their owner', async () => {
      const made = await make({ cron_timezone: 'Europe/Berlin' });
      assert.equal(made.status, 201);
      const { id, next_run_at: due, ...shown } = made.body;
      assert.deepEqual(
        [shown.ref, shown.cron, shown.cron_timezone, shown.active, shown.owner.username],
        ['refs/heads/side', '0 1 * * *', 'Europe/Berlin', true, 'ann'],
      );
      assert.deepEqual([shown.last_pipeline, shown.variables], [null, []]);
      assert.ok(Date.parse(due) > bench.service.core.clock.now());
      const changed = await call('PUT', `${id}`, { cron: '0 2 1 * *', active: false });
      assert.deepEqual([changed.status, changed.body.cron, changed.body.active], [200, '0 2 1 * *', false]);
      assert.notEqual(changed.body.next_run_at, due);
      const list = async (scope: string) =>
        (await bench.service.api('GET', path, { query: { scope } })).body.map(
          (each: { id: number }) => each.id,
        );
      assert.deepEqual([await list('inactive'), await list('active')], [[id], []]);
      assert.equal((await bench.service.api('GET', path, { query: { scope: 'odd' } })).status, 400);
      assert.equal((await call('DELETE', `${id}`)).status, 204);
      const gone = await call('GET', `${id}`);
      assert.deepEqual([gone.status, gone.body.message], [404, '404 PipelineSchedule Not Found']);
    });

    it('that cannot be are refused', async () => {
      const problems = async (body: object) => {
        const { status, body: answer } = await make(body);
        assert.equal(status, 400);
        return answer.message ?? answer.error;
      };
      assert.deepEqual(await problems({ cron: 'often' }), { cron: ['is invalid syntax'] });
      assert.deepEqual(await problems({ cron_timezone: 'X' }), { cron_timezone: ['is invalid syntax'] });
      assert.deepEqual(await problems({ ref: 'unknown' }), { ref: ['Ref is not found'] });
      assert.deepEqual(await problems({ description: ' ' }), { description: ["can't be blank"] });
      const missing = await bench.service.api('POST', path, { token: ann.token, body: {} });
      assert.equal(missing.body.error, 'description is missing, ref is missing, cron is missing');
    });

    it('belong to somebody: others look, maintainers take over', async () => {
      const { id } = (await make({}, bob.token)).body;
      const seen = await call('GET', `${id}`);
      assert.deepEqual([seen.status, 'variables' in seen.body], [200, false]);
      assert.equal((await call('PUT', `${id}`, { active: false })).status, 403);
      assert.equal((await call('GET', `${id}/variables/MODE`)).status, 403);
      assert.equal((await call('DELETE', `${id}`)).status, 403);
      assert.equal((await call('POST', `${id}/take_ownership`)).status, 403);
      const own = (await make()).body.id;
      const taken = await call('POST', `${own}/take_ownership`, {}, bob.token);
      assert.deepEqual([taken.status, taken.body.owner.username], [201, 'bob']);
    });

    it('give their pipelines variables', async () => {
      const { id } = (await make()).body;
      const made = await call('POST', `${id}/variables`, { key: 'MODE', value: 'slow' });
      const variable = { variable_type: 'env_var', key: 'MODE', value: 'slow', raw: false };
      assert.deepEqual([made.status, made.body], [201, variable]);
      assert.equal((await call('POST', `${id}/variables`, { key: 'MODE', value: 'x' })).status, 400);
      assert.equal((await call('POST', `${id}/variables`, { key: 'A-B', value: 'x' })).status, 400);
      const changed = await call('PUT', `${id}/variables/MODE`, { variable_type: 'file' });
      assert.deepEqual(changed.body, { ...variable, variable_type: 'file' });
      assert.deepEqual((await call('GET', `${id}`)).body.variables, [changed.body]);
      assert.deepEqual((await call('GET', `${id}/variables/MODE`)).body, changed.body);
      assert.equal((await call('GET', `${id}/variables/OTHER`)).status, 404);
      const played = await call('POST', `${id}/play`);
      assert.deepEqual([played.status, played.body], [201, { message: '201 Created' }]);
      const [pipeline] = (await call('GET', `${id}/pipelines`)).body;
      assert.deepEqual([pipeline.source, pipeline.ref], ['schedule', 'side']);
      const given = `/projects/${project.id}/pipelines/${pipeline.id}/variables`;
      assert.deepEqual((await bench.service.api('GET', given)).body, [changed.body]);
      assert.equal((await call('GET', `${id}`)).body.last_pipeline.id, pipeline.id);
      assert.equal((await call('DELETE', `${id}/variables/MODE`)).status, 202);
      assert.equal((await call('DELETE', `${id}/variables/MODE`)).status, 404);
    });

    it('begin when they are due, once, also where two processes look', async () => {
      const { core } = bench.service;
      const { id } = (await make()).body;
      const due = core.clock.now() - 1000;
      const delay = (to: number) =>
        core.db.updateTable('pipeline_schedules').set({ next_run_at: to }).where('id', '=', id).execute();
      const yaml = new YamlReader();
      const deps = { core, ports: { mergeRequests: NONE }, yaml } as CreationDeps;
      await delay(due);
      const waits = await Promise.all([runDueSchedules(deps), runDueSchedules(deps)]);
      assert.ok(waits.every((wait) => wait !== null && wait > 0));
      const pipelines = (await call('GET', `${id}/pipelines`)).body;
      assert.equal(pipelines.length, 1);
      const again = (await call('GET', `${id}`)).body;
      assert.ok(Date.parse(again.next_run_at) > core.clock.now());
      await yaml.close();
    });

    it('go on after one that could not, and rest when their owner is gone', async () => {
      const { core } = bench.service;
      const lost = (await make()).body.id;
      const orphan = (await make()).body.id;
      const rows = core.db.updateTable('pipeline_schedules').set({ next_run_at: 1 });
      await rows.set({ ref: 'refs/heads/gone' }).where('id', '=', lost).execute();
      await rows.set({ owner_id: null }).where('id', '=', orphan).execute();
      const yaml = new YamlReader();
      await runDueSchedules({ core, ports: { mergeRequests: NONE }, yaml } as CreationDeps);
      const read = async (id: number) => (await call('GET', `${id}`, undefined, bob.token)).body;
      assert.deepEqual([(await read(orphan)).active, (await read(orphan)).owner], [false, null]);
      assert.ok(Date.parse((await read(lost)).next_run_at) > core.clock.now());
      assert.deepEqual((await call('GET', `${lost}/pipelines`)).body, []);
      await yaml.close();
    });
  });
}

const NONE = { find: async () => null, findByIid: async () => null, openFrom: async () => [] };
