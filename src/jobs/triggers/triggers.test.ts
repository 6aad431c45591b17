import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedMember, seedPerson } from '../../../test/support/seed.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { issueJobToken } from '../../core/tokens/job-tokens.ts';
import { PipelineBench } from '../creation/testing.ts';

for (const kind of dialects) {
  describe(`trigger tokens on ${kind}`, () => {
    let bench: PipelineBench;
    let project: ProjectWithNamespace;
    let path: string;
    let ann: { id: number; token: string };

    before(async () => {
      bench = await PipelineBench.open(kind);
      project = await bench.project();
      path = `/projects/${project.id}`;
      ann = await seedPerson(bench.service.core, 'ann');
      await seedMember(bench.service.core, project, ann, Level.maintainer);
      await bench.push(project, 'one: { script: a }\n');
    });
    after(() => bench[Symbol.asyncDispose]());

    const make = async (token = ann.token) =>
      (await bench.service.api('POST', `${path}/triggers`, { token, body: { description: 'ci' } })).body;
    const fire = (body: object, at = `${path}/trigger/pipeline`) =>
      bench.service.api('POST', at, { token: null, body });

    it('are made, listed, renamed and deleted by maintainers; only the owner sees the whole', async () => {
      const made = await make();
      assert.match(made.token, /^glptt-[\w-]{20}$/);
      assert.deepEqual([made.description, made.last_used, made.owner.username], ['ci', null, 'ann']);
      const at = `${path}/triggers/${made.id}`;
      assert.equal((await bench.service.api('GET', at, { token: ann.token })).body.token, made.token);
      assert.equal((await bench.service.api('GET', at)).body.token, made.token.slice(6, 10));
      const renamed = await bench.service.api('PUT', at, { token: ann.token, body: { description: 'new' } });
      assert.deepEqual([renamed.status, renamed.body.description], [200, 'new']);
      assert.equal((await bench.service.api('PUT', at, { body: { description: 'x' } })).status, 403);
      const missing = await bench.service.api('POST', `${path}/triggers`, { token: ann.token, body: {} });
      assert.deepEqual([missing.status, missing.body.error], [400, 'description is missing']);
      const list = await bench.service.api('GET', `${path}/triggers`, { token: ann.token });
      assert.deepEqual(
        list.body.map((each: { id: number }) => each.id),
        [made.id],
      );
      assert.equal((await bench.service.api('DELETE', at, { token: ann.token })).status, 204);
      const gone = await bench.service.api('GET', at, { token: ann.token });
      assert.deepEqual([gone.status, gone.body.message], [404, '404 Trigger Not Found']);
    });

    it('begin pipelines for their owner, with variables and what was sent', async () => {
      const { token, id } = await make();
      const fired = await fire({ token, ref: 'main', variables: { WHO: 'me', HOW: 'so' }, extra: 1 });
      assert.equal(fired.status, 201);
      assert.deepEqual([fired.body.source, fired.body.user.username], ['trigger', 'ann']);
      const at = `${path}/pipelines/${fired.body.id}/variables`;
      const variables: { key: string; value: string; variable_type: string }[] = (
        await bench.service.api('GET', at)
      ).body;
      assert.deepEqual(
        variables.map(({ key }) => key),
        ['HOW', 'TRIGGER_PAYLOAD', 'WHO'],
      );
      const payload = variables[1]!;
      assert.equal(payload.variable_type, 'file');
      assert.deepEqual(JSON.parse(payload.value), {
        ref: 'main',
        variables: { WHO: 'me', HOW: 'so' },
        extra: 1,
      });
      const used = await bench.service.api('GET', `${path}/triggers/${id}`, { token: ann.token });
      assert.notEqual(used.body.last_used, null);
      const form = { token, variables: { A: '1' } };
      const other = `${path}/ref/main/trigger/pipeline`;
      assert.equal((await bench.service.api('POST', other, { token: null, form })).status, 201);
    });

    it('are refused where they are wrong, in GitLab’s words', async () => {
      const { token } = await make();
      const said = async (body: object, at?: string) => {
        const { status, body: answer } = await fire(body, at);
        return [status, answer.message ?? answer.error];
      };
      const unknown = [404, '404 Not Found'];
      assert.deepEqual(await said({ token: 'glptt-nothing', ref: 'main' }), unknown);
      assert.deepEqual(await said({ token: ann.token, ref: 'main' }), unknown);
      assert.deepEqual(await said({ token, ref: 'main' }, '/projects/999/trigger/pipeline'), unknown);
      const elsewhere = await bench.project();
      assert.deepEqual(
        await said({ token, ref: 'main' }, `/projects/${elsewhere.id}/trigger/pipeline`),
        unknown,
      );
      assert.deepEqual(await said({ token, ref: 'no' }), [400, { base: ['Reference not found'] }]);
      assert.deepEqual(await said({ ref: 'main' }), [400, 'token is missing']);
      const words = 'variables needs to be a map of key-valued strings';
      assert.deepEqual(await said({ token, ref: 'main', variables: { A: 1 } }), [400, words]);
      assert.deepEqual(await said({ token, ref: 'main', variables: { A: { b: 'c' } } }), [400, words]);
      assert.equal((await said({ token, ref: 'main', variables: { 'A B': '' } }))[0], 400);
    });

    it('are no good any more when their owner may not run jobs', async () => {
      const { service } = bench;
      const bob = await seedPerson(service.core, 'bob');
      await seedMember(service.core, project, bob, Level.maintainer);
      const { token } = await make(bob.token);
      assert.equal((await fire({ token, ref: 'main' })).status, 201);
      await service.api('PUT', `${path}/members/${bob.id}`, { body: { access_level: Level.reporter } });
      const refused = await fire({ token, ref: 'main' });
      assert.deepEqual(
        [refused.status, refused.body.message],
        [400, { base: ['Insufficient permissions to create a new pipeline'] }],
      );
      await service.api('POST', `/users/${bob.id}/block`);
      assert.equal((await fire({ token, ref: 'main' })).status, 404);
    });

    it('may be that of a running job, whose pipeline is then upstream', async () => {
      const { core } = bench.service;
      const [job] = await bench.rows(project, (await bench.pipelines(project))[0]!.id);
      await bench.run(job!);
      const owner = { jobId: job!.id, userId: ann.id, projectId: project.id };
      const token = await core.database.transaction((tx) => issueJobToken(tx, owner, core.clock.now()));
      const fired = await fire({ token, ref: 'main' });
      assert.deepEqual([fired.status, fired.body.source], [201, 'pipeline']);
      const source = await core.db
        .selectFrom('pipeline_sources')
        .selectAll()
        .where('pipeline_id', '=', fired.body.id)
        .executeTakeFirst();
      assert.equal(source?.source_job_id, job!.id);
      const closed = await bench.project({ ci_job_token_scope_enabled: true });
      const at = `/projects/${closed.id}/trigger/pipeline`;
      assert.equal((await fire({ token, ref: 'main' }, at)).status, 403);
    });
  });
}
