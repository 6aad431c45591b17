import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorsOf, read } from '../testing/config.ts';

/** A job `x` with these lines. */
const job = (...lines: string[]) => ['x:', '  script: make', ...lines.map((line) => `  ${line}`)].join('\n');
const NO_WORK = [
  'jobs x config should implement the script:, run:, or trigger: keyword',
  'jobs config should contain at least one visible job',
];
const LIST = 'should be an array of strings';
const SCRIPT = 'config should be a string or a nested array of strings up to 10 levels deep';

describe('what is wrong with a configuration', () => {
  const table: [what: string, text: string, errors: string[]][] = [
    ['no mapping', '[a]', ['Invalid configuration format']],
    ['nothing at all', ' \n', ['Please provide content of .gitlab-ci.yml']],
    ['only a comment', '# x', ['Invalid configuration format']],
    ['no job', 'stages: [a]', ['jobs config should contain at least one visible job']],
    ['only hidden jobs', '.x: {script: a}', ['jobs config should contain at least one visible job']],
    ['a job of text', 'x: hello', NO_WORK],
    ['a job of nothing', 'x:', NO_WORK],
    ['no script', 'x: {stage: test}', NO_WORK],
    ['an empty script', 'x: {script: }', ["jobs:x script can't be blank"]],
    ['a script of nothing', 'x: {script: []}', ["jobs:x script can't be blank"]],
    ['a script of numbers', 'x: {script: [1]}', [`jobs:x:script ${SCRIPT}`]],
    ['a script too deep', `x: {script: ${'['.repeat(12)}a${']'.repeat(12)}}`, [`jobs:x:script ${SCRIPT}`]],
    ['before_script', job('before_script: {a: b}'), [`jobs:x:before_script ${SCRIPT}`]],
    ['after_script', job('after_script: [{a: b}]'), [`jobs:x:after_script ${SCRIPT}`]],
    ['unknown keys', job('foo: 1', 'bar: 2'), ['jobs:x config contains unknown keys: foo, bar']],
    [
      'keys of a build on a bridge',
      'x: {trigger: a/b, tags: [a]}',
      ['jobs:x config contains unknown keys: tags'],
    ],
    [
      'an unknown stage',
      job('stage: foo'),
      ['x job: chosen stage foo does not exist; available stages are .pre, build, test, deploy, .post'],
    ],
    ['a stage of numbers', job('stage: 1'), ['jobs:x:stage config should be a string']],
    [
      'stages',
      `stages: [1]\n${job()}`,
      [`stages config ${LIST} or a nested array of strings up to 10 levels deep`],
    ],
    [
      'when',
      job('when: sometimes'),
      ['jobs:x when should be one of: on_success, on_failure, always, manual, delayed'],
    ],
    [
      'when: never',
      job('when: never'),
      ['jobs:x when should be one of: on_success, on_failure, always, manual, delayed'],
    ],
    ['delayed without a time', job('when: delayed'), ['jobs:x start in should be a duration']],
    [
      'delayed for ever',
      job('when: delayed', 'start_in: 8 days'),
      ['jobs:x start in should not exceed the limit'],
    ],
    [
      'delayed beside rules',
      job('when: delayed', 'rules: [{if: $A}]'),
      ['jobs:x start in should be a duration'],
    ],
    ['a time without delayed', job('start_in: 1 day'), ['jobs:x start in must be blank']],
    [
      'allow_failure',
      job('allow_failure: maybe'),
      ['jobs:x allow failure should be a hash or a boolean value'],
    ],
    [
      'exit codes',
      job('allow_failure: {exit_codes: [a]}'),
      ['jobs:x:allow_failure exit codes should be an array of integers or an integer'],
    ],
    ['variables', `variables: [a]\n${job()}`, ['variables config should be a hash']],
    [
      'a variable',
      job('variables: {A: [b]}'),
      ['jobs:x:variables:A variable definition must be either a string or a hash'],
    ],
    [
      'what only global variables have',
      job('variables: {A: {value: b, description: c}}'),
      ['jobs:x:variables:A config uses invalid data keys: description'],
    ],
    [
      'an option that is none',
      `variables: {A: {value: b, options: [c]}}\n${job()}`,
      ['variables:A config value must be present in options'],
    ],
    [
      'a long stage',
      `stages: [${'s'.repeat(256)}]\nx: {script: a, stage: .pre}`,
      ['stages config has a name that is too long (maximum is 255 characters)'],
    ],
    ['tags', job('tags: a'), [`jobs:x:tags config ${LIST}`]],
    [
      'long tags',
      job(`tags: [${'t'.repeat(2000)}]`),
      ['jobs:x:tags config is too long (maximum is 2000 bytes)'],
    ],
    ['an image', job('image: 1'), ['jobs:x:image config should be a hash or a string']],
    ['an image without a name', job('image: {entrypoint: [a]}'), ["jobs:x:image name can't be blank"]],
    ['an entrypoint of text', job('image: {name: a, entrypoint: b}'), [`jobs:x:image entrypoint ${LIST}`]],
    ['a global image', `image: 1\n${job()}`, ['image config should be a hash or a string']],
    [
      'a default image',
      `default: {image: 1}\n${job()}`,
      ['default:image config should be a hash or a string'],
    ],
    ['keys of default', `default: {script: a}\n${job()}`, ['default config contains unknown keys: script']],
    ['services', job('services: a'), ['jobs:x:services config should be a array']],
    ['a service', job('services: [1]'), ['jobs:x:services:service config should be a hash or a string']],
    ['a cache', job('cache: 1'), ['jobs:x:cache config should be a hash']],
    ['a cache key', job('cache: {key: [a]}'), ['jobs:x:cache:key should be a hash, a string or a symbol']],
    [
      'key files',
      job('cache: {key: {files: [a, b, c]}}'),
      ['jobs:x:cache:key:files config has too many items (maximum is 2)'],
    ],
    [
      'five caches',
      job(`cache: [${Array(5).fill('{key: a}').join(', ')}]`),
      ['jobs:x:cache config no more than 4 caches can be created'],
    ],
    ['artifacts', job('artifacts: a'), ['jobs:x:artifacts config should be a hash']],
    [
      'keys of artifacts',
      job('artifacts: {path: a}'),
      ['jobs:x:artifacts config contains unknown keys: path'],
    ],
    ['paths', job('artifacts: {paths: a}'), [`jobs:x:artifacts paths ${LIST}`]],
    ['expire_in', job('artifacts: {expire_in: soon}'), ['jobs:x:artifacts expire in should be a duration']],
    [
      'when of artifacts',
      job('artifacts: {when: never}'),
      ['jobs:x:artifacts when should be one of: on_success, on_failure, always'],
    ],
    [
      'reports',
      job('artifacts: {reports: {foo: a}}'),
      ['jobs:x:artifacts:reports config contains unknown keys: foo'],
    ],
    [
      'a report',
      job('artifacts: {reports: {junit: 1}}'),
      ['jobs:x:artifacts:reports junit should be an array of strings or a string'],
    ],
    [
      'a coverage report',
      job('artifacts: {reports: {coverage_report: {coverage_format: x, path: a}}}'),
      [
        'jobs:x:artifacts:reports:coverage_report coverage format must be one of supported formats: cobertura, jacoco.',
      ],
    ],
    ['a script of nothing', 'x: {script: " "}', ["jobs:x script can't be blank"]],
    ['a script without lines', 'x: {script: [[]]}', ["jobs:x script can't be blank"]],
    ['dependencies', job('dependencies: [1]'), [`jobs:x dependencies ${LIST}`]],
    ['an undefined dependency', job('dependencies: [y]'), ['x job: undefined dependency: y']],
    ['an undefined need', job('needs: [y]'), ['x job: undefined need: y']],
    [
      'a need of a later stage',
      `${job('stage: build', 'needs: [y]')}\ny: {script: a}`,
      ['x job: need y is not defined in current or prior stages'],
    ],
    ['a need twice', `${job('needs: [y, y]')}\ny: {script: a}`, ['x has the following needs duplicated: y.']],
    [
      'a dependency that is not waited for',
      `${job('needs: [y]', 'dependencies: [z]')}\ny: {script: a}\nz: {script: a}`,
      ['jobs:x dependencies the z should be part of needs'],
    ],
    ['needs of nothing known', job('needs: [1]'), ['jobs:x:needs:need has an unsupported type']],
    [
      'needs in a circle',
      `${job('needs: [y]')}\ny: {script: a, needs: [x]}`,
      ['The pipeline has circular dependencies: topological sort failed: ["x", "y"]'],
    ],
    [
      'a job that needs itself',
      job('needs: [x]'),
      ['The pipeline has circular dependencies: self-dependency: x'],
    ],
    ['parallel', job('parallel: 201'), ['jobs:x:parallel config must be less than or equal to 200']],
    [
      'parallel of nothing',
      job('parallel: 0'),
      ['jobs:x:parallel config must be greater than or equal to 1'],
    ],
    ['parallel of text', job('parallel: two'), ['jobs:x:parallel should be an integer or a hash']],
    [
      'a matrix',
      job('parallel: {matrix: {A: b}}'),
      ['jobs:x:parallel:matrix config should be an array of hashes'],
    ],
    [
      'a large matrix',
      job('parallel: {matrix: [{A: [1, 2, 3, 4, 5, 6], B: [1, 2, 3, 4, 5, 6], C: [1, 2, 3, 4, 5, 6]}]}'),
      ['jobs:x:parallel:matrix config generates too many jobs (maximum is 200)'],
    ],
    [
      'a matrix whose copies could have no names',
      job(`parallel: {matrix: [{${Array.from({ length: 129 }, (_, n) => `K${n}: a`).join(', ')}}]}`),
      ['jobs:x:parallel:matrix:variables config is too long (maximum is 128)'],
    ],
    ['retry', job('retry: 3'), ['jobs:x:retry config must be less than or equal to 2']],
    ['retry of text', job('retry: often'), ['jobs:x:retry config has to be either an integer or a hash']],
    [
      'reasons of a retry',
      job('retry: {max: 1, when: [a]}'),
      ['jobs:x:retry when contains unknown values: a'],
    ],
    ['timeout', job('timeout: long'), ['jobs:x:timeout config should be a duration']],
    ['a timeout of a year', job('timeout: 1 year'), ['jobs:x:timeout config should not exceed the limit']],
    ['interruptible', job('interruptible: 1'), ['jobs:x:interruptible config should be a boolean value']],
    ['coverage', job('coverage: 12'), ['jobs:x:coverage config must be a regular expression']],
    ['a broken coverage', job('coverage: /(/'), ['jobs:x:coverage config must be a regular expression']],
    ['resource_group', job('resource_group: [a]'), ['jobs:x resource group should be a string']],
    ['environment', job('environment: 1'), ['jobs:x:environment config should be a hash or a string']],
    [
      'an environment without a name',
      job('environment: {url: a}'),
      ["jobs:x:environment name can't be blank"],
    ],
    [
      'an action',
      job('environment: {name: a, action: go}'),
      ['jobs:x:environment action should be start, stop, prepare, verify, or access'],
    ],
    ['on_stop', job('environment: {name: a, on_stop: y}'), ['x job: on_stop job y is not defined']],
    ['a trigger', 'x: {trigger: [a]}', ['jobs:x:trigger has to be either a string or a hash']],
    ['a trigger without a project', 'x: {trigger: {branch: a}}', ["jobs:x:trigger project can't be blank"]],
    [
      'a strategy',
      'x: {trigger: {project: a/b, strategy: c}}',
      ['jobs:x:trigger strategy should be depend or mirror'],
    ],
    [
      'an artifact of no job',
      'x: {trigger: {include: [{artifact: a.yml}]}}',
      ['jobs:x:trigger:include config must specify the job where to fetch the artifact from'],
    ],
    ['only', job('only: 1'), ['jobs:x:only has to be either an array of conditions or a hash']],
    [
      'only with a broken pattern',
      job('only: [/(/]'),
      ['jobs:x:only config should be an array of strings or regular expressions using re2 syntax'],
    ],
    ['variables of only', job('only: {variables: [a]}'), ['jobs:x:only variables invalid expression syntax']],
    [
      'rules and only',
      job('only: [main]', 'rules: [{when: never}]'),
      ['jobs:x config key may not be used with `rules`: only'],
    ],
    ['rules', job('rules: a'), ['jobs:x rules should be an array containing hashes and arrays of hashes']],
    ['a rule', job('rules: [a]'), ['jobs:x:rules:rule config should be a hash']],
    ['if', job('rules: [{if: "$A =="}]'), ['jobs:x:rules:rule if invalid expression syntax']],
    [
      'a pattern that runs on',
      job('rules: [{if: "$A =~ /(?=a)/"}]'),
      ['jobs:x:rules:rule if invalid expression syntax'],
    ],
    ['keys of a rule', job('rules: [{iff: a}]'), ['jobs:x:rules:rule config contains unknown keys: iff']],
    ['exists', job('rules: [{exists: a}]'), [`jobs:x:rules:rule exists ${LIST}`]],
    [
      'exists of a ref of no project',
      job('rules: [{exists: {paths: [a], ref: b}}]'),
      ['jobs:x:rules:rule:exists project must be specified when using ref'],
    ],
    ['changes', job('rules: [{changes: a}]'), [`jobs:x:rules:rule changes ${LIST}`]],
    ['when of a rule', job('rules: [{when: a}]'), ['jobs:x:rules:rule when unknown value: a']],
    [
      'allow_failure of a rule',
      job('rules: [{allow_failure: a}]'),
      ['jobs:x:rules:rule allow failure should be a boolean value'],
    ],
    ['workflow', `workflow: a\n${job()}`, ['workflow config should be a hash']],
    [
      'a rule of the workflow',
      `workflow: {rules: [{when: manual}]}\n${job()}`,
      ['workflow:rules:rule when unknown value: manual'],
    ],
    [
      'auto_cancel',
      `workflow: {auto_cancel: {on_new_commit: a}}\n${job()}`,
      ['workflow:auto_cancel on new commit must be one of: conservative, interruptible, none'],
    ],
    ['inherit', job('inherit: {default: [a]}'), ['jobs:x:inherit:default config contains unknown values: a']],
    [
      'id_tokens',
      job('id_tokens: {A: {aud: b}}'),
      ['jobs:x config contains `id_tokens`, which is not supported here'],
    ],
    [
      'secrets',
      job('secrets: {A: {vault: b}}'),
      ['jobs:x config contains `secrets`, which is not supported here'],
    ],
    ['extends', job('extends: 1'), ['jobs:x extends should be an array of strings or a string']],
    [
      'publish outside pages',
      job('pages: false', 'publish: a'),
      ['jobs:x publish can only be used within a `pages` job'],
    ],
    ['pages', job('pages: a'), ['jobs:x:pages config should be a hash or a boolean value']],
    [
      'key files that are missing',
      job('cache: {key: {prefix: a}}'),
      ['jobs:x:cache:key config missing required keys: files'],
    ],
    [
      'a key that is a number',
      job('cache: {key: 1}'),
      ['jobs:x:cache:key should be a hash, a string or a symbol'],
    ],
    [
      'a matrix that is missing',
      job('parallel: {}'),
      ['jobs:x:parallel config missing required keys: matrix'],
    ],
    [
      'when of another type',
      job('when: [always]'),
      [
        'jobs:x when should be a string',
        'jobs:x when should be one of: on_success, on_failure, always, manual, delayed',
      ],
    ],
    [
      'a need of another project without a ref',
      job('needs: [{project: a/b, job: c}]'),
      ['jobs:x:needs:need ref should be a string'],
    ],
    [
      'a need of another pipeline without a job',
      job('needs: [{pipeline: $UP}]'),
      ['jobs:x:needs:need job should be a string'],
    ],
    [
      'dependencies on another pipeline',
      job('dependencies: [y]', 'needs: [{pipeline: $UP, job: y}]'),
      ['jobs:x needs corresponding to dependencies must be from the same pipeline'],
    ],
    [
      'a circle and what waits for it',
      'w: {script: a, needs: [a]}\na: {script: a, needs: [c]}\nb: {script: a, needs: [a]}\nc: {script: a, needs: [b]}',
      ['The pipeline has circular dependencies: topological sort failed: ["a", "c", "b"]'],
    ],
    ['a release', job('release: {tag_name: a}'), ["jobs:x:release description can't be blank"]],
    ['hooks', job('hooks: {a: b}'), ['jobs:x:hooks config contains unknown keys: a']],
    [
      'a long name',
      `${'n'.repeat(256)}: {script: a}`,
      [`jobs:${'n'.repeat(256)} job name is too long (maximum is 255 characters)`],
    ],
    ['a blank name', '~: {script: a}', ["jobs job name can't be blank"]],
  ];
  for (const [what, text, errors] of table)
    it(`is told of ${what}`, async () => assert.deepEqual(await errorsOf(text), errors));

  it('takes what only looks wrong', async () => {
    const texts = [
      'stages: [a, [b, [c]]]\nx: {script: a, stage: c}',
      'variables: {A: true, B: 1.5}\nx: {script: a}',
      'x: {script: a, only: , except: , rules: [{if: $A}]}',
      'pages: {script: a, publish: b}',
      'x: {script: a, retry: {when: job_token_expired}}',
      'x: {trigger: a/b, needs: {pipeline: $UP}}',
    ];
    for (const text of texts) assert.deepEqual(await errorsOf(text), [], text);
  });

  it('is told of defaults that would become millions of lines', async () => {
    const lines = Array(2_000).fill('a').join(', ');
    const jobs = Array.from({ length: 300 }, (_, n) => `j${n}: {script: a}`).join('\n');
    assert.deepEqual(await errorsOf(`default: {before_script: [${lines}]}\n${jobs}`), [
      'jobs config has too many lines of scripts (maximum is 500000)',
    ]);
  });

  it('is told of variables that each of thousands of jobs would look through', async () => {
    const variables = Array.from({ length: 6_000 }, (_, n) => `V${n}: x`).join(', ');
    const jobs = Array.from({ length: 1_000 }, (_, n) => `j${n}: {script: a}`).join('\n');
    assert.deepEqual(await errorsOf(`variables: {${variables}}\n${jobs}`), [
      'variables config has too many variables for so many jobs',
    ]);
  });

  it('is told of every job at once, a hundred errors at most', async () => {
    const text = Array.from({ length: 150 }, (_, n) => `j${n}: {script: a, stage: s}`).join('\n');
    const errors = await errorsOf(text);
    assert.equal(errors.length, 101);
    assert.equal(errors.at(-1), 'and 50 more errors');
  });

  it('warns of a rule that always holds without rules of the workflow', async () => {
    const { warnings, errors } = await read(job('rules: [{if: $A}, {when: always}]'));
    assert.deepEqual(errors, []);
    assert.match(warnings[0]!, /^jobs:x may allow multiple pipelines to run for a single action/);
    const quiet = await read(`workflow: {rules: [{when: always}]}\n${job('rules: [{when: always}]')}`);
    assert.deepEqual(quiet.warnings, []);
  });
});
