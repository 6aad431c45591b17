import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { PipelineBench } from './testing.ts';

const CONFIG = `spec:
  inputs:
    stage: {default: test}
    times: {type: number, default: 1}
    systems: {type: array, default: [linux]}
    loud: {type: boolean, default: false}
---
"work in $[[ inputs.stage ]]":
  stage: $[[ inputs.stage ]]
  interruptible: $[[ inputs.loud ]]
  parallel: $[[ inputs.times ]]
  tags: $[[ inputs.systems ]]
  script: [work]
`;

for (const kind of dialects) {
  describe(`inputs of pipelines on ${kind}`, () => {
    let bench: PipelineBench;
    let project: ProjectWithNamespace;
    let path: string;
    before(async () => {
      bench = await PipelineBench.open(kind);
      project = await bench.project();
      path = `/projects/${project.id}`;
      await bench.push(project, CONFIG);
    });
    after(() => bench[Symbol.asyncDispose]());

    const shown = async (of = project) =>
      (await bench.rows(of)).map(({ name, tags, interruptible }) => [name, JSON.parse(tags), interruptible]);
    const ask = (inputs: unknown) =>
      bench.service.api('POST', `${path}/pipeline`, { body: { ref: 'main', inputs } });

    it('are their defaults where nobody gives any', async () => {
      assert.deepEqual(await shown(), [['work in test 1/1', ['linux'], 0]]);
    });

    it('are given by the API', async () => {
      const made = await ask({ stage: 'build', times: 2, systems: ['linux', 'arm'], loud: true });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(await shown(), [
        ['work in build 1/2', ['arm', 'linux'], 1],
        ['work in build 2/2', ['arm', 'linux'], 1],
      ]);
    });

    it('come as texts in forms, with trigger tokens as with others', async () => {
      const form = { ref: 'main', inputs: { times: '2', systems: '["mac"]', loud: 'true' } };
      const expected = [
        ['work in test 1/2', ['mac'], 1],
        ['work in test 2/2', ['mac'], 1],
      ];
      assert.equal((await bench.service.api('POST', `${path}/pipeline`, { form })).status, 201);
      assert.deepEqual(await shown(), expected);
      const { body } = await bench.service.api('POST', `${path}/triggers`, { body: { description: 'd' } });
      const fired = await bench.service.api('POST', `${path}/trigger/pipeline`, {
        token: null,
        form: { ...form, token: body.token },
      });
      assert.deepEqual([fired.status, fired.body.source], [201, 'trigger']);
      assert.deepEqual(await shown(), expected);
    });

    it('that do not fit begin nothing', async () => {
      const before = (await bench.pipelines(project)).length;
      const cases: [inputs: unknown, said: string][] = [
        [{ times: 'x' }, '`times` input: provided value is not a number'],
        [
          { other: 1 },
          'Given inputs not defined in the `spec` section of the included configuration file: other',
        ],
      ];
      for (const [inputs, said] of cases) {
        const reply = await ask(inputs);
        assert.deepEqual([reply.status, reply.body], [400, { message: { base: [said] } }]);
      }
      const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`);
      for (const inputs of ['text', [1], { stage: 'a\0b' }, { systems: deep }]) {
        const reply = await ask(inputs);
        assert.equal(reply.status, 400, reply.text);
      }
      assert.equal((await bench.pipelines(project)).length, before);
    });

    it('are given by the options of a push', async () => {
      const sha = (await bench.pipelines(project))[0]!.sha;
      const pushOptions = ['ci.input=stage=deploy', 'ci.input=systems=["a=b"]', 'ci.input=nothing'];
      const origin = { userId: 1, via: 'push' as const, pushOptions };
      await bench.service.core.refUpdates.update(project, [{ ref: 'refs/heads/side', new: sha }], origin);
      await bench.settled();
      assert.deepEqual(await shown(), [['work in deploy 1/1', ['a=b'], 0]]);
    });

    it('are given by bridges, to files of their own and to other projects', async () => {
      const parent = await bench.project();
      await bench.push(
        parent,
        `child: {trigger: {include: [{local: child.yml, inputs: {times: 2, systems: [own]}}]}}
other: {trigger: {project: ${project.full_path}, inputs: {stage: build, loud: true}}}
`,
        { files: { 'child.yml': CONFIG } },
      );
      await bench.settled();
      const [, child] = await bench.pipelines(parent);
      assert.deepEqual(
        (await bench.rows(parent, child!.id)).map(({ name, tags }) => [name, tags]),
        [
          ['work in test 1/2', '["own"]'],
          ['work in test 2/2', '["own"]'],
        ],
      );
      assert.deepEqual(await shown(), [['work in build 1/1', ['linux'], 1]]);
    });

    it('that are missing leave a failed pipeline which says so', async () => {
      const demanding = await bench.project();
      await bench.push(demanding, 'spec: {inputs: {who: }}\n---\nx: {script: [a]}\n');
      const [pipeline] = await bench.pipelines(demanding);
      assert.equal(pipeline?.status, 'failed');
      assert.equal(pipeline?.yaml_errors, '`who` input: required value has not been provided');
    });

    it('never show what is masked, and expand the rest', async () => {
      const own = await bench.project();
      const set = async (key: string, value: string, masked = false) => {
        const body = { key, value, masked };
        const reply = await bench.service.api('POST', `/projects/${own.id}/variables`, { body });
        assert.equal(reply.status, 201, reply.text);
      };
      await set('HIDDEN', 'a-secret-value', true);
      await set('SHOWN', 'an-open-value');
      await set('NAMING', 'x-$HIDDEN');
      const config = (name: string) =>
        `spec: {inputs: {who: {default: $${name}}}}\n---\n"$[[ inputs.who | expand_vars ]]": {script: [a]}\n`;
      await bench.push(own, config('SHOWN'));
      assert.deepEqual(Object.keys(await bench.jobs(own)), ['an-open-value']);
      await bench.push(own, config('NAMING'));
      assert.deepEqual(Object.keys(await bench.jobs(own)), ['x-$HIDDEN']);
      await bench.push(own, config('HIDDEN'));
      const { yaml_errors: errors } = (await bench.pipelines(own)).at(-1)!;
      assert.match(errors!, /masked variables cannot be expanded$/);
    });
  });
}
