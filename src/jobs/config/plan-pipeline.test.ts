import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorsOf, jobs, names, plan, planOrRefusal, type Situation } from './testing/config.ts';

const rules = (...lines: string[]) => `x: {script: a, rules: [${lines.join(', ')}]}`;
const variables = (job: { variables: { key: string; value: string }[] } | undefined) =>
  Object.fromEntries(job?.variables.map(({ key, value }) => [key, value]) ?? []);

describe('rules', () => {
  it('add the job by the first that holds, and not at all where none does', async () => {
    const text = rules('{if: $A, when: never}', '{if: $B, when: manual}', '{if: $C}');
    assert.deepEqual(await names(text), []);
    assert.deepEqual(await names(text, { variables: { A: '1', B: '1' } }), []);
    const { x } = await jobs(text, { variables: { B: '1', C: '1' } });
    assert.deepEqual([x!.when, x!.allowFailure], ['manual', false]);
    assert.equal((await jobs(text, { variables: { C: '1' } }))['x']!.when, 'on_success');
  });

  it('take the word of the job where they say nothing', async () => {
    const { x } = await jobs(
      'x: {script: a, when: always, allow_failure: true, interruptible: true, rules: [{if: $A}]}',
      { variables: { A: '1' } },
    );
    assert.deepEqual([x!.when, x!.allowFailure, x!.interruptible], ['always', true, true]);
  });

  it('change what the job is', async () => {
    const text = `
y: {script: a, stage: build}
x:
  script: a
  variables: {A: job, B: job}
  needs: [y]
  rules:
    - {if: $CI, when: delayed, start_in: 2 minutes, allow_failure: true, variables: {B: rule}, needs: [], interruptible: true}`;
    const { x } = await jobs(text, { variables: { CI: 'true' } });
    assert.deepEqual(
      [x!.when, x!.startIn, x!.allowFailure, x!.needs, x!.scheduling, x!.interruptible],
      ['delayed', 120, true, [], 'dag', true],
    );
    assert.deepEqual(variables(x), { A: 'job', B: 'rule' });
  });

  it('compare variables of the file, expanded, and those of the place above them', async () => {
    const text = `
variables: {A: one, B: $A-two, RAW: {value: $A, expand: false}}
x: {script: a, variables: {C: $B}, rules: [{if: '$C == "one-two"'}]}
y: {script: a, rules: [{if: '$RAW == "$A"'}]}
z: {script: a, rules: [{if: '$CI_JOB_NAME == "z" && $CI_JOB_STAGE == "test"'}]}`;
    assert.deepEqual(await names(text), ['x', 'y', 'z']);
    assert.deepEqual(await names(text, { variables: { A: 'else' } }), ['y', 'z']);
  });

  it('ask for changes and files, every condition of a rule together', async () => {
    const text = rules('{changes: [src/**/*.ts, $DIR/*]}');
    const changed = (paths: string[] | null, more: Situation = {}) =>
      names(text, { changed: paths, ...more });
    assert.deepEqual(await changed(['src/a/b.ts']), ['x']);
    assert.deepEqual(await changed(['docs/a.md']), []);
    assert.deepEqual(await changed(['docs/a.md'], { variables: { DIR: 'docs' } }), ['x']);
    assert.deepEqual(await changed(null), ['x']);
    const files = { 'src/Dockerfile': '' };
    assert.deepEqual(await names(rules('{exists: ["**/Dockerfile"]}'), { files }), ['x']);
    assert.deepEqual(await names(rules('{exists: [Dockerfile]}'), { files }), []);
    const many = Object.fromEntries(Array.from({ length: 50_001 }, (_, n) => [`f${n}`, '']));
    assert.deepEqual(await names(rules('{exists: [none/*, "*.none"]}'), { files: many }), ['x']);
    const lib = '{exists: {paths: [Dockerfile], project: $OWNER/lib, ref: v1}}';
    const situation = { projects: { 'g/lib': { Dockerfile: '' } }, variables: { OWNER: 'g' } };
    assert.deepEqual(await names(rules(lib), situation), ['x']);
    assert.deepEqual(await planOrRefusal(rules(lib), { ...situation, projects: {} }), {
      refused: 'broken',
      message: 'Failed to parse rule for x: rules:exists:project is not a valid project path',
    });
    const wide = `"${'{a,b}'.repeat(9)}x"`;
    const paths = Array.from({ length: 4_000 }, (_, n) => `f${n}`);
    assert.deepEqual(await names(rules(`{changes: [${wide}]}`), { changed: ['x'] }), []);
    assert.deepEqual(
      await names(rules(`{changes: [${wide}]}`), { changed: paths }),
      ['x'],
      'what is too much counts',
    );
    const both = rules('{if: $A, changes: {paths: [a], compare_to: main}}');
    assert.deepEqual(await names(both, { changed: ['a'] }), []);
    assert.deepEqual(await names(both, { changed: ['a'], variables: { A: '1' } }), ['x']);
  });
});

describe('the workflow', () => {
  it('keeps pipelines out, names them and gives them variables', async () => {
    const text = `
variables: {WHO: file, NAME: x}
workflow:
  name: 'Build $WHO $NONE'
  rules:
    - {if: $SKIP, when: never}
    - {if: $A, variables: {WHO: rule}, auto_cancel: {on_new_commit: none}}
x: {script: a}
y: {script: a, variables: {WHO: job}}`;
    assert.deepEqual(await planOrRefusal(text, { variables: { SKIP: '1', A: '1' } }), {
      refused: 'workflow',
      message: 'Pipeline filtered out by workflow rules.',
    });
    assert.equal('refused' in (await planOrRefusal(text)), true);
    const planned = await plan(text, { variables: { A: '1' } });
    assert.deepEqual([planned.name, planned.autoCancel], ['Build rule', 'none']);
    assert.deepEqual(variables(planned.jobs[0]), { WHO: 'rule', NAME: 'x' });
    assert.equal(variables(planned.jobs[1])['WHO'], 'job');
  });

  it('refuses a pipeline without work', async () => {
    const message =
      'Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being added to the pipeline.';
    for (const text of ['x: {script: a, rules: [{when: never}]}', 'x: {script: a, stage: .pre}'])
      assert.deepEqual(await planOrRefusal(text), { refused: 'no jobs', message });
  });
});

describe('copies', () => {
  it('are counted', async () => {
    const all = (await plan('x: {script: a, parallel: 3}')).jobs;
    assert.deepEqual(
      all.map(({ name, definition }) => [name, definition.node]),
      [1, 2, 3].map((index) => [`x ${index}/3`, { index, total: 3 }]),
    );
  });

  it('are every combination of a matrix, each with rules of its own', async () => {
    const text = `
x:
  script: a
  variables: {OS: any, KEEP: 1}
  parallel: {matrix: [{OS: linux, V: [18, 20]}, {OS: [mac], V: ["22"], W: 1.50}]}
  rules: [{if: '$V != "18"'}]`;
    const { jobs: all } = await plan(text);
    assert.deepEqual(
      all.map(({ name }) => name),
      ['x: [linux, 20]', 'x: [mac, 22, 1.5]'],
    );
    assert.deepEqual(all[1]!.definition.node, { index: 3, total: 3 });
    assert.deepEqual(variables(all[0]), { OS: 'linux', KEEP: '1', V: '20' });
  });

  it('have names of 255 letters at most', async () => {
    const text = `x: {script: a, parallel: {matrix: [{V: ${'v'.repeat(300)}}]}}`;
    const result = await planOrRefusal(text);
    assert.match('message' in result ? result.message : '', /^jobs:x: \[v+ job name is too long/);
  });

  it('are more than anybody means', async () => {
    const text = Array.from({ length: 60 }, (_, n) => `j${n}: {script: a, parallel: 200}`).join('\n');
    assert.deepEqual(await planOrRefusal(text), {
      refused: 'broken',
      message: 'The pipeline has more than 10000 jobs.',
    });
  });
});

describe('a pipeline that would fill the disk', () => {
  it('is refused before it is written', async () => {
    const jobs = Array.from({ length: 100 }, (_, n) => `j${n}: {script: a, parallel: 50}`).join('\n');
    const message = 'The jobs of the pipeline have too much text.';
    const script = `default: {before_script: [${'x'.repeat(20_000)}]}\n${jobs}`;
    assert.deepEqual(await planOrRefusal(script), { refused: 'broken', message });
    const image = `default: {image: ${'x'.repeat(20_000)}}\n${jobs}`;
    assert.deepEqual(await planOrRefusal(image), { refused: 'broken', message });
    const variables = `variables: {A: ${'x'.repeat(20_000)}}\n${jobs}`;
    assert.deepEqual(await planOrRefusal(variables), { refused: 'broken', message });
  });

  it('is refused for needs that stand for more jobs than there can be', async () => {
    const row = Array.from({ length: 12 }, (_, n) => `K${n}: [1, 2, 3, 4, 5, 6, 7, 8]`).join(', ');
    const text = `y: {script: a}\nx: {script: a, needs: [{job: y, parallel: {matrix: [{${row}}]}}]}`;
    assert.deepEqual(await errorsOf(text), [
      'jobs:x:needs:need:parallel:matrix config generates too many jobs (maximum is 200)',
    ]);
  });
});

describe('needs', () => {
  const missing = (job: string, needed: string) =>
    `'${job}' job needs '${needed}' job, but '${needed}' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.`;

  it('name jobs, with or without artifacts, all copies of one, or some', async () => {
    const text = `
a: {stage: build, script: a}
b: {stage: build, script: a, parallel: 2}
c: {stage: build, script: a, parallel: {matrix: [{V: [1, 2]}]}}
x: {script: a, needs: [a, {job: b, artifacts: false}, {job: c, parallel: {matrix: [{V: 2}]}}]}
y: {script: a, needs: []}
z: {script: a, needs: [b 2/2, "c: [1]"], dependencies: ["b 2/2"]}
w: {script: a, dependencies: [b]}`;
    const all = await jobs(text);
    assert.deepEqual(all['x']!.needs, [
      { name: 'a', artifacts: true },
      { name: 'b 1/2', artifacts: false },
      { name: 'b 2/2', artifacts: false },
      { name: 'c: [2]', artifacts: true },
    ]);
    assert.deepEqual([all['y']!.needs, all['y']!.scheduling], [[], 'dag']);
    assert.deepEqual(
      all['z']!.needs.map(({ name }) => name),
      ['b 2/2', 'c: [1]'],
    );
    assert.deepEqual(all['w']!.definition.dependencies, ['b 1/2', 'b 2/2']);
    assert.deepEqual([all['w']!.scheduling, all['w']!.stageIdx], ['stage', 1]);
  });

  it('miss what rules left out, unless they are optional', async () => {
    const text = (need: string) =>
      `a: {stage: build, script: a, rules: [{if: $A}]}\nx: {script: a, needs: [${need}]}`;
    assert.deepEqual(await planOrRefusal(text('a')), { refused: 'broken', message: missing('x', 'a') });
    assert.deepEqual((await jobs(text('{job: a, optional: true}')))['x']!.needs, []);
    assert.deepEqual((await jobs(text('{job: never, optional: true}')))['x']!.needs, []);
    assert.equal((await jobs(text('a'), { variables: { A: '1' } }))['x']!.needs.length, 1);
  });

  it('are fifty at most', async () => {
    const many = Array.from({ length: 51 }, (_, n) => `j${n}: {stage: build, script: a}`);
    const text = [...many, `x: {script: a, needs: [${many.map((_, n) => `j${n}`).join(', ')}]}`].join('\n');
    const result = await planOrRefusal(text);
    assert.match(
      'message' in result ? result.message : '',
      /^x: one job can only need 50 others, but you have listed 51/,
    );
  });

  it('of other pipelines stand apart', async () => {
    const { x } = await jobs(
      'x: {script: a, needs: [{project: a/b, ref: main, job: c}, {pipeline: $UP, job: d, artifacts: false}]}',
    );
    assert.equal(x!.scheduling, 'stage');
    assert.deepEqual(x!.definition.crossNeeds, [
      { job: 'c', project: 'a/b', ref: 'main', pipeline: null, artifacts: true },
      { job: 'd', project: null, ref: null, pipeline: '$UP', artifacts: false },
    ]);
  });
});

describe('what a job is told', () => {
  it('is its own word, else the default, else what stands at the top', async () => {
    const text = `
image: top
before_script: [top]
default: {tags: [d], retry: 1, timeout: 1h 30m, interruptible: true, before_script: [default], cache: {key: k, paths: [p]}}
variables: {A: 1, B: 2}
x: {script: [a, [b]], after_script: c, retry: {max: 2, when: script_failure}, coverage: '/(\\d+)%/'}
y: {script: a, before_script: [], tags: [], inherit: {default: [tags, timeout], variables: [B]}}
z: {script: a, inherit: {default: false, variables: false}}`;
    const { x, y, z } = await jobs(text);
    assert.deepEqual(x!.definition.script, ['default', 'a', 'b']);
    assert.deepEqual(
      [
        x!.definition.afterScript,
        x!.definition.image?.name,
        x!.tags,
        x!.interruptible,
        x!.definition.timeout,
      ],
      [['c'], 'top', ['d'], true, 5400],
    );
    assert.deepEqual(x!.definition.retry, { max: 2, when: ['script_failure'], exitCodes: [] });
    assert.equal(x!.definition.coverage, '(\\d+)%');
    assert.deepEqual(x!.definition.cache[0], {
      key: 'k',
      paths: ['p'],
      untracked: false,
      policy: 'pull-push',
      when: 'on_success',
      fallbackKeys: [],
      unprotect: false,
    });
    assert.deepEqual(
      [y!.definition.script, y!.tags, y!.definition.timeout, y!.definition.image, y!.interruptible],
      [['a'], [], 5400, null, false],
    );
    assert.deepEqual([variables(y), variables(z)], [{ B: '2' }, {}]);
    assert.deepEqual([z!.definition.script, z!.tags, z!.definition.retry.max], [['a'], [], 0]);
  });

  it('is all of artifacts, environment, images and release', async () => {
    const { x } = await jobs(`
x:
  script: a
  image: {name: i, entrypoint: [""], pull_policy: always, docker: {user: u}}
  services: [pg, {name: redis, alias: r, variables: {A: 1}}]
  artifacts: {paths: [out], exclude: [out/x], expire_in: 1 week, when: always, public: false, reports: {junit: r.xml, coverage_report: {coverage_format: cobertura, path: c.xml}}}
  environment: {name: review/$CI_COMMIT_REF_SLUG, url: 'https://x', auto_stop_in: 1 day, action: start}
  resource_group: g
  release: {tag_name: v1, description: d}
  allow_failure: {exit_codes: [1, 2]}`);
    const { definition } = x!;
    assert.deepEqual([definition.image?.pullPolicy, definition.image?.docker], [['always'], { user: 'u' }]);
    assert.deepEqual(definition.services[1]?.variables, [{ key: 'A', value: '1', raw: false }]);
    assert.deepEqual(definition.artifacts?.reports, [
      { type: 'junit', paths: ['r.xml'] },
      { type: 'cobertura', paths: ['c.xml'] },
    ]);
    assert.deepEqual([definition.artifacts?.expireIn, definition.artifacts?.access], ['1 week', 'developer']);
    assert.equal(x!.environment?.autoStopIn, '1 day');
    assert.deepEqual([x!.resourceGroup, definition.release?.tagName], ['g', 'v1']);
    assert.deepEqual([x!.allowFailure, definition.allowFailureExitCodes], [false, [1, 2]]);
  });

  it('is another pipeline to begin', async () => {
    const { x, y } = await jobs(`
x: {trigger: {project: a/b, branch: main, strategy: depend, forward: {pipeline_variables: true}}, variables: {A: 1}}
y: {trigger: {include: [child.yml, {artifact: gen.yml, job: x}, {project: a/b, file: [c.yml]}]}}`);
    assert.deepEqual(
      [x!.kind, x!.definition.trigger?.project, x!.definition.trigger?.strategy],
      ['bridge', 'a/b', 'depend'],
    );
    assert.deepEqual(x!.definition.trigger?.forward, { yamlVariables: true, pipelineVariables: true });
    assert.deepEqual(y!.definition.trigger?.include, [
      { local: 'child.yml' },
      { artifact: 'gen.yml', job: 'x' },
      { project: 'a/b', ref: null, file: 'c.yml' },
    ]);
  });

  it('lets a job that is manual itself fail, whatever its rules ask', async () => {
    const rules = (rule: string) => `x: {script: a, when: manual, rules: [${rule}]}`;
    const outcome = async (rule: string) => {
      const { x } = await jobs(rules(rule), { variables: { A: '1' } });
      return [x!.when, x!.allowFailure];
    };
    assert.deepEqual(await outcome('{if: $A}'), ['manual', true]);
    assert.deepEqual(await outcome('{if: $A, allow_failure: false}'), ['manual', false]);
    assert.deepEqual(await outcome('{if: $A, when: on_success}'), ['on_success', false]);
  });

  it('lets a manual job fail outside rules', async () => {
    const text = 'x: {script: a, when: manual}\ny: {script: a, when: manual, allow_failure: false}';
    const { x, y } = await jobs(text);
    assert.deepEqual([x!.allowFailure, y!.allowFailure], [true, false]);
  });

  it('knows .pre and .post where a job is in them', async () => {
    const planned = await plan('stages: [b]\nx: {script: a, stage: b}\ny: {script: a, stage: .post}');
    assert.deepEqual(planned.stages, ['b', '.post']);
    assert.deepEqual(
      planned.jobs.map(({ stageIdx }) => stageIdx),
      [0, 1],
    );
  });
});
