import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorsOf, jobs, read, type Situation } from '../testing/config.ts';

/** A configuration with these inputs and the job `x`. */
const withInputs = (inputs: string, job: string) => `spec:\n  inputs: ${inputs}\n---\n${job}`;
const scriptOf = async (inputs: string, script: string, situation: Situation = {}) =>
  (await jobs(withInputs(inputs, `x: {script: ['${script}']}`), situation))['x']!.definition.script[0];
const errorOf = async (inputs: string, given: Record<string, unknown> = {}) => {
  const errors = await errorsOf(withInputs(inputs, 'x: {script: [a]}'), { inputs: given });
  assert.equal(errors.length, 1, JSON.stringify(errors));
  return errors[0];
};

describe('inputs of configurations', () => {
  it('are replaced in names, texts and lists by what is given, or by their defaults', async () => {
    const content = withInputs(
      '{stage: {default: build}, name: , word: {description: any, default: "a b"}}',
      '"$[[ inputs.name ]]-job":\n  stage: $[[ inputs.stage ]]\n  script: ["echo $[[inputs.word]] $[[ inputs.name ]]"]\n',
    );
    const planned = await jobs(content, { inputs: { name: 'first' } });
    assert.deepEqual(Object.keys(planned), ['first-job']);
    assert.equal(planned['first-job']!.stage, 'build');
    assert.deepEqual(planned['first-job']!.definition.script, ['echo a b first']);
  });

  it('keep their types where they stand alone, and are texts within texts', async () => {
    const inputs =
      '{n: {type: number, default: 3}, b: {type: boolean, default: true}, l: {type: array, default: [{if: $A}, 1.5]}}';
    const content = withInputs(
      inputs,
      'x:\n  parallel: $[[ inputs.n ]]\n  interruptible: $[[ inputs.b ]]\n  script: ["echo $[[ inputs.n ]] $[[ inputs.b ]] $[[ inputs.l ]]"]\n  tags: $[[ inputs.l ]]',
    );
    const planned = await jobs(content, { inputs: { l: ['one', 'two'], b: false } });
    assert.deepEqual(Object.keys(planned), ['x 1/3', 'x 2/3', 'x 3/3']);
    const job = planned['x 1/3']!;
    assert.deepEqual([job.interruptible, job.tags], [false, ['one', 'two']]);
    assert.deepEqual(job.definition.script, ['echo 3 false ["one","two"]']);
    assert.equal(await scriptOf(inputs, '$[[ inputs.l ]] of it'), '[{"if":"$A"},1.5] of it');
  });

  it('may be nothing on purpose', async () => {
    assert.equal(await scriptOf('{a: {default: null}}', 'say <$[[ inputs.a ]]>'), 'say <>');
  });

  it('may be called by any name', async () => {
    const inputs = '{"black/enabled": {default: a}, "Run it": {default: b}, __proto__: {default: c}}';
    const script = '$[[ inputs.black/enabled ]]$[[inputs.Run it]]$[[ inputs.__proto__ ]]';
    assert.equal(await scriptOf(inputs, script), 'abc');
  });

  it('come as texts from forms, whatever they are', async () => {
    const inputs = '{n: {type: number}, b: {type: boolean}, l: {type: array}, s: }';
    const given = { n: '7', b: 'true', l: '["a"]', s: '7' };
    const script = '$[[ inputs.n ]] $[[ inputs.b ]] $[[ inputs.l ]] $[[ inputs.s ]]';
    assert.equal(await scriptOf(inputs, script, { inputs: given }), '7 true ["a"] 7');
  });

  const refusals: [what: string, inputs: string, given: Record<string, unknown>, said: string][] = [
    [
      'missing',
      '{a: , b: }',
      {},
      '`a` input: required value has not been provided, `b` input: required value has not been provided',
    ],
    [
      'unknown',
      '{a: {default: x}}',
      { c: 1, d: 2 },
      'Given inputs not defined in the `spec` section of the included configuration file: c, d',
    ],
    ['of another type', '{a: }', { a: 1 }, '`a` input: provided value is not a string'],
    ['no number', '{a: {type: number}}', { a: 'x' }, '`a` input: provided value is not a number'],
    ['no boolean', '{a: {type: boolean}}', { a: 'yes' }, '`a` input: provided value is not a boolean'],
    ['no list', '{a: {type: array}}', { a: '{}' }, '`a` input: provided value is not an array'],
    ['null', '{a: }', { a: null }, '`a` input: provided value is not a string'],
    ['a default of another type', '{a: {default: 1}}', {}, '`a` input: default value is not a string'],
    [
      'no option',
      '{a: {options: [x, y]}}',
      { a: 'z' },
      '`a` input: `z` cannot be used because it is not in the list of allowed options',
    ],
    [
      'a default that is no option',
      '{a: {options: [x, y], default: z}}',
      {},
      '`a` input: `z` cannot be used because it is not in the list of allowed options',
    ],
    [
      'unlike the pattern',
      '{a: {regex: "^v[0-9]+$"}}',
      { a: 'v1x' },
      '`a` input: provided value does not match required RegEx pattern',
    ],
  ];
  for (const [what, inputs, given, said] of refusals) {
    it(`are refused when one is ${what}`, async () => assert.equal(await errorOf(inputs, given), said));
  }

  const broken: [what: string, inputs: string, said: string][] = [
    ['a list', '[a]', 'header:spec:inputs config should be a hash'],
    ['a text', '{a: text}', 'header:spec:inputs:a config should be a hash'],
    ['an unknown key', '{a: {odd: 1}}', 'header:spec:inputs:a config contains unknown keys: odd'],
    ['an unknown type', '{a: {type: struct}}', 'header:spec:inputs:a input type unknown value: struct'],
    ['no pattern', '{a: {regex: "("}}', 'header:spec:inputs:a regex must be a valid regular expression'],
    [
      'a pattern of numbers',
      '{a: {type: number, regex: "1"}}',
      'header:spec:inputs:a regex can only be used with string inputs',
    ],
    ['options that are none', '{a: {options: x}}', 'header:spec:inputs:a options should be an array'],
    [
      'options of another type',
      '{a: {options: [1]}}',
      'header:spec:inputs:a options should be of the type of the input',
    ],
  ];
  for (const [what, inputs, said] of broken) {
    it(`are refused when declared by ${what}`, async () => assert.equal(await errorOf(inputs), said));
  }

  it('have an end', async () => {
    const given = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`i${i}`, 'x']));
    assert.equal(await errorOf('{}', given), 'There cannot be more than 20 inputs');
    const content = (script: string) => withInputs(`{a: {default: ${'x'.repeat(200_000)}}}`, script);
    const many = `x: {script: [${Array.from({ length: 100 }, () => '"y$[[ inputs.a ]]"').join(', ')}]}`;
    assert.deepEqual(await errorsOf(content(many)), ['The parsed YAML is too big']);
    const list = `[${Array.from({ length: 1000 }, (_, i) => i).join(', ')}]`;
    const lists = `x: {script: [${Array.from({ length: 500 }, () => '"$[[ inputs.a ]]"').join(', ')}]}`;
    assert.deepEqual(await errorsOf(withInputs(`{a: {type: array, default: ${list}}}`, lists)), [
      'The parsed YAML is too big',
    ]);
  });

  it('mean nothing in a file without a header', async () => {
    const planned = await jobs('x: {script: ["echo $[[ inputs.a ]]"]}');
    assert.deepEqual(planned['x']!.definition.script, ['echo $[[ inputs.a ]]']);
    assert.deepEqual(await errorsOf('x: {script: [a]}', { inputs: { a: 1 } }), [
      'Given inputs not defined in the `spec` section of the included configuration file: a',
    ]);
  });

  it('stay as they are written where a block does not end', async () => {
    const text = `$[[ inputs.a ${'$[['.repeat(1000)}`;
    assert.equal(await scriptOf('{a: {default: x}}', text), text);
  });
});

describe('functions of inputs', () => {
  const inputs = `{a: {default: "0123456789"}, v: {default: "<$NAME> \${OTHER} $UNKNOWN"}, q: {default: "it is 'x'"}, s: {default: "$SECRET"}, n: {type: number, default: 1}}`;
  const situation = { variables: { NAME: 'ann', OTHER: '$NAME', SECRET: 'hidden' }, masked: ['SECRET'] };
  const filled = (block: string) => scriptOf(inputs, `$[[ ${block} ]]`, situation);
  const refused = async (block: string) =>
    (await errorsOf(withInputs(inputs, `x: {script: ["$[[ ${block} ]]"]}`), situation))[0];

  it('cut, expand and escape', async () => {
    assert.equal(await filled('inputs.a | truncate(3,5)'), '34567');
    assert.equal(await filled('inputs.a | truncate(8, 5) | truncate(0,1)'), '8');
    assert.equal(await filled('inputs.v | expand_vars'), '<ann> $NAME $UNKNOWN');
    assert.equal(await filled('inputs.v | expand_vars | truncate(0,5)'), '<ann>');
    const content = `x: {script: ["$[[ inputs.q | posix_escape ]]"]}`;
    const planned = await jobs(withInputs(inputs, content));
    assert.deepEqual(planned['x']!.definition.script, [String.raw`it\ is\ \'x\'`]);
  });

  it('never show what is masked', async () => {
    const said =
      'error in `expand_vars` function: variable expansion error: masked variables cannot be expanded';
    assert.equal(await refused('inputs.s | expand_vars'), said);
    for (const text of [`\${SECRET}`, '%SECRET%', '%%A%SECRET%', '$$$SECRET', '$NAME$SECRET']) {
      const content = withInputs(
        `{a: {default: '${text}'}}`,
        'x: {script: ["$[[ inputs.a | expand_vars ]]"]}',
      );
      assert.deepEqual(await errorsOf(content, situation), [said], text);
    }
  });

  it('are refused where there is none, or too many', async () => {
    for (const name of ['upcase', 'truncate(1)', 'truncate(-1,2)', 'expand_vars()', '']) {
      assert.equal(
        await refused(`inputs.a | ${name}`),
        `no function matching \`${name}\`: check that the function name, arguments, and types are correct`,
      );
    }
    assert.equal(
      await refused('inputs.a | expand_vars | expand_vars | expand_vars | expand_vars'),
      'too many functions in interpolation block',
    );
    assert.match((await refused('inputs.n | truncate(0,1)'))!, /it can only be used with string inputs$/);
    assert.equal(await refused('inputs.none'), 'unknown interpolation key: `none`');
    assert.equal(await refused('variables.A'), 'unknown interpolation key: `variables`');
    assert.equal(await refused(`inputs.${'a'.repeat(2000)}`), 'interpolation block is too long');
  });
});

describe('inputs of included files', () => {
  const file = withInputs(
    '{name: , times: {type: number, default: 1}}',
    '"$[[ inputs.name ]]": {script: ["x$[[ inputs.times ]]"]}',
  );

  it('are given by each include', async () => {
    const content =
      'include:\n  - {local: job.yml, inputs: {name: one}}\n  - {local: job.yml, inputs: {name: two, times: 2}}\n  - {project: group/lib, file: job.yml, inputs: {name: three}}\n';
    const planned = await jobs(content, {
      files: { 'job.yml': file },
      projects: { 'group/lib': { 'job.yml': file } },
    });
    const scripts = Object.entries(planned).map(([name, { definition }]) => [name, ...definition.script]);
    assert.deepEqual(scripts, [
      ['one', 'x1'],
      ['two', 'x2'],
      ['three', 'x1'],
    ]);
  });

  it('are handed on from those of the file that includes', async () => {
    const content = withInputs(
      '{who: {default: all}}',
      'include: [{local: job.yml, inputs: {name: "for $[[ inputs.who ]]"}}]\n',
    );
    assert.deepEqual(Object.keys(await jobs(content, { files: { 'job.yml': file } })), ['for all']);
  });

  it('are refused with the name of the file', async () => {
    const include = (inputs: string) =>
      errorsOf(`include: [{local: job.yml, inputs: ${inputs}}]`, { files: { 'job.yml': file } });
    assert.deepEqual(await include('{}'), ['`job.yml`: `name` input: required value has not been provided']);
    assert.deepEqual(await include('{name: a, times: "2"}'), [
      '`job.yml`: `times` input: provided value is not a number',
    ]);
    assert.match((await include('[a]'))[0]!, /inputs should be a hash$/);
  });

  it('are shown filled in the merged configuration', async () => {
    const result = await read('include: [{local: job.yml, inputs: {name: one}}]', {
      files: { 'job.yml': file },
    });
    assert.equal(await result.mergedYaml(), '---\none:\n  script:\n  - x1\n');
  });
});
