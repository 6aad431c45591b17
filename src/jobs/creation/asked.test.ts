import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { assertSound } from '../../../test/support/pipelines.ts';
import { seedMember, seedPerson } from '../../../test/support/seed.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { PipelineBench } from './testing.ts';

const CONFIG = 'one: { stage: build, script: a }\ntwo: { stage: test, script: b }\n';

for (const kind of dialects) {
  describe(`a pipeline that somebody asks for on ${kind}`, () => {
    let bench: PipelineBench;
    let project: ProjectWithNamespace;
    let path: string;
    const tokens = { maintainer: '', developer: '', reporter: '', stranger: '' };

    before(async () => {
      bench = await PipelineBench.open(kind);
      project = await bench.project();
      path = `/projects/${project.id}`;
      const levels = { maintainer: Level.maintainer, developer: Level.developer, reporter: Level.reporter };
      for (const name of Object.keys(tokens) as (keyof typeof tokens)[]) {
        const person = await seedPerson(bench.service.core, name);
        tokens[name] = person.token;
        if (name !== 'stranger') await seedMember(bench.service.core, project, person, levels[name]);
      }
      await bench.push(project, CONFIG);
      await bench.push(project, CONFIG, { branch: 'side', from: 'main', files: { side: '1' } });
    });
    after(() => bench[Symbol.asyncDispose]());

    const ask = (body: object, token = tokens.developer) =>
      bench.service.api('POST', `${path}/pipeline`, { token, body: { ref: 'side', ...body } });
    const branch = (name: string, extra: Record<string, string> = {}) =>
      bench.push(project, CONFIG, { branch: name, from: 'main', files: { [name]: '1', ...extra } });

    it('is told of a rule that compares with nothing', async () => {
      const rule = (ref: string) => `rules: [{ changes: { paths: [new], compare_to: ${ref} } }]`;
      const push = (branch: string, ref: string) =>
        bench.push(project, `one: { script: a, ${rule(ref)} }\n`, {
          branch,
          from: 'main',
          files: { new: branch },
        });
      await push('compared', 'main');
      assert.equal((await ask({ ref: 'compared' })).status, 201);
      await push('uncompared', 'refs/heads/gone');
      const { status, body } = await ask({ ref: 'uncompared' });
      const said = 'Failed to parse rule for one: rules:changes:compare_to is not a valid ref';
      assert.deepEqual([status, body.message], [400, { base: [said] }]);
    });

    it('begins at a branch or tag, whatever the commit’s message says', async () => {
      await bench.push(project, CONFIG, {
        branch: 'side',
        from: 'main',
        message: '[skip ci]',
        files: { x: '1' },
      });
      const made = await ask({ variables: [{ key: 'A', value: 'b', variable_type: 'file' }] });
      assert.equal(made.status, 201);
      assert.deepEqual([made.body.source, made.body.ref, made.body.status], ['api', 'side', 'pending']);
      assert.equal('variables' in made.body, false);
      const form = await bench.service.api('POST', `${path}/pipeline`, {
        form: { ref: 'refs/heads/side', variables: [{ key: 'A', value: 'b' }] },
      });
      assert.deepEqual([form.status, form.body.ref], [201, 'side']);
    });

    it('is refused in GitLab’s words', async () => {
      await branch('broken', { '.gitlab-ci.yml': 'one: { script: a, stage: x }\n' });
      await branch('filtered', { '.gitlab-ci.yml': `workflow: { rules: [{ if: $NEVER }] }\n${CONFIG}` });
      await branch('empty', { '.gitlab-ci.yml': 'one: { script: a, rules: [{ if: $NEVER }] }\n' });
      await branch('bare', { '.gitlab-ci.yml': null as unknown as string });
      const before = (await bench.pipelines(project)).length;
      const said = async (body: object) => {
        const { status, body: answer } = await ask(body);
        assert.equal(status, 400);
        return answer.message?.base?.[0] ?? answer.error;
      };
      assert.equal(await said({ ref: 'unknown' }), 'Reference not found');
      assert.equal(await said({ ref: 'x'.repeat(5000) }), 'Reference not found');
      assert.equal(await said({ ref: 'bare' }), 'Missing CI config file');
      assert.equal(
        await said({ ref: 'empty' }),
        'Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being added to the pipeline.',
      );
      assert.equal(await said({ ref: 'filtered' }), 'Pipeline filtered out by workflow rules.');
      assert.match(await said({ ref: 'broken' }), /chosen stage x does not exist/);
      assert.match(await said({ variables: [{ key: 'A-B', value: '' }] }), /letters, digits and '_'/);
      assert.match(await said({ variables: [{ key: 'A' }, { key: 'A' }] }), /Duplicate variable name: A/);
      assert.equal(await said({ variables: [{ value: 'x' }] }), 'variables[0][key] is missing');
      assert.equal(await said({ variables: 'x' }), 'variables is invalid');
      assert.match(await said({ inputs: { deep: 1 } }), /Given inputs not defined/);
      assert.equal((await bench.service.api('POST', `${path}/pipeline`)).body.error, 'ref is missing');
      assert.equal((await bench.pipelines(project)).length, before);
    });

    it('is for developers, on protected branches for those who may change them', async () => {
      await branch('held');
      const rule = { name: 'held', push_access_level: 40, merge_access_level: 40 };
      await bench.service.api('POST', `${path}/protected_branches`, { body: rule });
      assert.equal((await ask({}, tokens.reporter)).status, 403);
      assert.equal((await ask({}, tokens.stranger)).status, 404);
      const refused = await ask({ ref: 'held' });
      assert.equal(refused.status, 400);
      assert.match(
        refused.body.message.base[0],
        /do not have sufficient permission to run a pipeline on 'held'/,
      );
      const made = await ask({ ref: 'held' }, tokens.maintainer);
      assert.equal(made.status, 201);
      const at = `${path}/pipelines/${made.body.id}`;
      assert.equal(
        (await bench.service.api('POST', `${at}/cancel`, { token: tokens.developer })).status,
        403,
      );
    });

    it('shows what it was begun with to maintainers and to whoever began it', async () => {
      const { id } = (
        await ask({
          variables: [
            { key: 'B', value: '2' },
            { key: 'A', value: '1' },
          ],
        })
      ).body;
      const read = (token: string) =>
        bench.service.api('GET', `${path}/pipelines/${id}/variables`, { token });
      const expected = ['A', 'B'].map((key, at) => ({
        ...{ variable_type: 'env_var', key, value: `${at + 1}`, raw: false },
      }));
      assert.deepEqual((await read(tokens.developer)).body, expected);
      assert.deepEqual((await read(tokens.maintainer)).body, expected);
      assert.equal((await read(tokens.reporter)).status, 403);
      const other = (await ask({}, tokens.maintainer)).body.id;
      const foreign = `${path}/pipelines/${other}/variables`;
      assert.equal((await bench.service.api('GET', foreign, { token: tokens.developer })).status, 403);
    });

    it('is cancelled and begun again as a whole', async () => {
      const { id } = (await ask({})).body;
      const act = (what: string) =>
        bench.service.api('POST', `${path}/pipelines/${id}/${what}`, { token: tokens.developer });
      const canceled = await act('cancel');
      assert.deepEqual([canceled.status, canceled.body.status], [200, 'canceled']);
      assert.deepEqual(await bench.jobs(project, id), { one: 'canceled', two: 'canceled' });
      assert.equal((await act('cancel')).status, 200);
      const retried = await act('retry');
      assert.deepEqual([retried.status, retried.body.status], [201, 'pending']);
      assert.deepEqual(await bench.jobs(project, id), { one: 'pending', two: 'created' });
      const [one] = await bench.rows(project, id);
      await bench.run(one!, 'failed');
      assert.deepEqual(await bench.jobs(project, id), { one: 'failed', two: 'skipped' });
      await Promise.all([act('retry'), act('retry')]);
      assert.deepEqual(await bench.jobs(project, id), { one: 'pending', two: 'created' });
      assert.equal((await bench.service.api('POST', `${path}/pipelines/0/retry`)).status, 404);
    });

    it('gets a number of its own, however many are asked for, cancelled and retried at once', async () => {
      const made = await Promise.all(Array.from({ length: 6 }, () => ask({})));
      assert.ok(made.every(({ status }) => status === 201));
      assert.equal(new Set(made.map(({ body }) => body.iid)).size, 6);
      const acts = made.flatMap(({ body }) => ['cancel', 'retry'].map((act) => `${body.id}/${act}`));
      const done = await Promise.all(
        acts.map((act) => bench.service.api('POST', `${path}/pipelines/${act}`, { token: tokens.developer })),
      );
      assert.deepEqual(new Set(done.map(({ status }) => status)), new Set([200, 201]));
      await bench.settled();
      for (const { body } of made) await assertSound(bench.service.core, body.id);
    });

    it('gets a name', async () => {
      const { id } = (await ask({})).body;
      const name = (text: unknown, token = tokens.developer) =>
        bench.service.api('PUT', `${path}/pipelines/${id}/metadata`, { token, body: { name: text } });
      assert.deepEqual((await name('Nightly')).body.name, 'Nightly');
      const long = await name('n'.repeat(256));
      assert.deepEqual(
        [long.status, long.body.message],
        [400, 'Failed to update pipeline - Name is too long (maximum is 255 characters)'],
      );
      assert.equal((await name('x', tokens.reporter)).status, 403);
      const found = await bench.service.api('GET', `${path}/pipelines?name=Nightly`);
      assert.deepEqual(
        found.body.map((each: { id: number }) => each.id),
        [id],
      );
    });

    it('makes older ones of its branch needless only where a push began them', async () => {
      const own = await bench.project();
      const interruptible = 'default: { interruptible: true }\n';
      const push = (config: string, n: number) => bench.push(own, config, { files: { n: `${n}` } });
      const states = async () => (await bench.pipelines(own)).map(({ status }) => status);
      await push(CONFIG, 1);
      await push(interruptible + CONFIG, 2);
      assert.deepEqual(await states(), ['canceled', 'pending']);
      await bench.run((await bench.rows(own))[0]!);
      await push(CONFIG, 3);
      assert.deepEqual(await states(), ['canceled', 'canceled', 'pending']);
      await bench.run((await bench.rows(own))[0]!);
      await push(`workflow: { auto_cancel: { on_new_commit: none } }\n${CONFIG}`, 4);
      assert.deepEqual((await states()).slice(2), ['running', 'pending']);
      await bench.service.api('POST', `/projects/${own.id}/pipeline`, { body: { ref: 'main' } });
      await push(CONFIG, 5);
      assert.deepEqual((await states()).slice(2), ['running', 'pending', 'pending', 'pending']);
    });
  });
}
