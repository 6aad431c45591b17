import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wildcardPattern } from './include/wildcard.ts';
import { errorsOf, jobs, names, read } from './testing/config.ts';

const scriptOf = async (text: string, job = 'x', situation = {}) =>
  (await jobs(text, situation))[job]?.definition.script;

describe('extends', () => {
  it('merges mappings and replaces lists, the last of several winning, the job itself above all', async () => {
    const { x } = await jobs(`
.a: {script: [a], image: one, variables: {A: 1, B: 1}, tags: [a, b]}
.b: {image: two, variables: {B: 2}}
x: {extends: [.a, .b], variables: {C: 3}, tags: [c]}`);
    assert.deepEqual(x!.definition.script, ['a']);
    assert.equal(x!.definition.image?.name, 'two');
    assert.deepEqual(
      x!.variables.map(({ key, value }) => `${key}=${value}`),
      ['A=1', 'B=2', 'C=3'],
    );
    assert.deepEqual(x!.tags, ['c']);
  });

  it('goes through bases of bases, eleven levels and no more', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, n) => (n === 0 ? '.j0: {script: deep}' : `.j${n}: {extends: .j${n - 1}}`));
    assert.deepEqual(await scriptOf([...chain(10), 'x: {extends: .j9}'].join('\n')), ['deep']);
    assert.deepEqual(await errorsOf([...chain(12), 'x: {extends: .j11}'].join('\n')), [
      '.j10: nesting too deep in `extends`',
    ]);
  });

  it('says what it cannot extend', async () => {
    assert.deepEqual(await errorsOf('x: {extends: .no, script: a}'), ['x: unknown keys in `extends` (.no)']);
    assert.deepEqual(await errorsOf('.t: text\nx: {extends: .t, script: a}'), [
      'x: invalid base hashes in `extends` (.t)',
    ]);
    assert.deepEqual(await errorsOf('x: {extends: .a}\n.a: {extends: .b}\n.b: {extends: .a}'), [
      '.a: circular dependency detected in `extends`',
    ]);
    assert.deepEqual(await errorsOf('x: {extends: x, script: a}'), [
      'x: circular dependency detected in `extends`',
    ]);
  });
});

describe('a large base', () => {
  it('is not written out for thousands of jobs', async () => {
    const variables = Array.from({ length: 1000 }, (_, n) => `V${n}: x`).join(', ');
    const jobs = Array.from({ length: 3000 }, (_, n) => `j${n}: {extends: .b, script: a, variables: {A: b}}`);
    assert.deepEqual(await errorsOf([`.b: {variables: {${variables}}}`, ...jobs].join('\n')), [
      'The parsed YAML is too big',
    ]);
  });
});

describe('!reference', () => {
  it('brings in what it names, lists within scripts and rules becoming one', async () => {
    const text = `
.a: {script: [one, two], rules: [{if: $NO}, {if: $YES}], variables: {A: 1}}
x:
  script: [!reference [.a, script], three]
  rules: [!reference [.a, rules]]
  variables: !reference [.a, variables]`;
    const situation = { variables: { YES: 'y' } };
    assert.deepEqual(await scriptOf(text, 'x', situation), ['one', 'two', 'three']);
    assert.equal((await jobs(text, situation))['x']?.variables[0]?.value, '1');
    assert.deepEqual(await names(text), []);
  });

  it('follows references in what it brings, also to what a job has by extends', async () => {
    const text = `
.base: {script: [base]}
.a: {extends: .base}
.b: {script: [!reference [.a, script]]}
x: {script: !reference [.b, script]}`;
    assert.deepEqual(await scriptOf(text), ['base']);
  });

  it('says what it cannot find, circles, and too many levels', async () => {
    assert.deepEqual(await errorsOf('x: {script: !reference [.a, script]}'), [
      '!reference [".a", "script"] could not be found',
    ]);
    assert.deepEqual(await errorsOf('x: {script: !reference [x, script]}'), [
      '!reference ["x", "script"] is part of a circular chain',
    ]);
    assert.deepEqual(await errorsOf('x: {script: !reference a}'), ['!reference ["a"] is not valid']);
    const chain = Array.from({ length: 12 }, (_, n) => `.c${n}: {script: !reference [.c${n + 1}, script]}`);
    const [error] = await errorsOf([...chain, '.c12: {script: a}', 'x: {script: b}'].join('\n'));
    assert.match(error!, /is nested too deep$/);
  });

  it('does not write out what multiplies itself', async () => {
    const lines = ['.r0: {s: [a, a, a, a, a, a, a, a, a, a]}'];
    for (let n = 1; n < 10; n++)
      lines.push(
        `.r${n}: {s: [${Array(10)
          .fill(`!reference [.r${n - 1}, s]`)
          .join(', ')}]}`,
      );
    assert.deepEqual(await errorsOf([...lines, 'x: {script: !reference [.r9, s]}'].join('\n')), [
      'The parsed YAML is too big',
    ]);
  });
});

describe('include', () => {
  const files = {
    'ci/a.yml': '.a: {script: [a], image: one}\nvariables: {A: 1}\nstages: [one]',
    'ci/b.yml': 'include: {local: ci/a.yml}\n.a: {image: two}\nb: {extends: .a, stage: one}',
    'ci/text.txt': 'x',
    'ci/list.yml': '[a]',
    'ci/broken.yml': 'a: [',
    'ci/empty.yml': '',
    'loop.yml': 'include: loop.yml',
  };
  const projects = {
    'other/lib': {
      'lib.yml': 'include: inner.yml\n.lib: {script: [lib]}',
      'inner.yml': '.inner: {script: [inner of the other]}',
    },
  };

  it('reads local files, what they include, and merges them under the file', async () => {
    const text = 'include: [/ci/b.yml]\nvariables: {B: 2}\nb: {tags: [mine]}';
    const { b } = await jobs(text, { files });
    assert.deepEqual([b!.definition.script, b!.definition.image?.name, b!.tags], [['a'], 'two', ['mine']]);
    assert.deepEqual(
      b!.variables.map(({ key }) => key),
      ['A', 'B'],
    );
    const { includes } = await read(text, { files });
    assert.deepEqual(
      includes.map(({ type, location }) => [type, location]),
      [
        ['local', 'ci/b.yml'],
        ['local', 'ci/a.yml'],
      ],
    );
  });

  it('takes what wildcards of local files match, which are no globs of rules', async () => {
    const job = (path: string): [string, string] => [path, `${path.replaceAll(/\W/g, '-')}: {script: a}`];
    const many = ['ci/a.yml', 'ci/[b].yml', 'ci/c.yaml', 'ci/one/d.yml', 'ci/one/two/e.yml', 'f.yml'];
    const files = Object.fromEntries(many.map(job));
    const table: [wildcard: string, matching: string][] = [
      ['ci/*.yml', 'ci/[b].yml ci/a.yml'],
      ['/ci/**.yml', 'ci/[b].yml ci/a.yml ci/one/d.yml ci/one/two/e.yml'],
      ['ci/**/*.yml', 'ci/one/d.yml ci/one/two/e.yml'],
      ['ci/*/*.yml', 'ci/one/d.yml'],
      ['ci/[b]*.yml', 'ci/[b].yml'],
      ['**two/e.yml', 'ci/one/two/e.yml'],
      ['*.yml', 'f.yml'],
      ['**.yaml', 'ci/c.yaml'],
    ];
    for (const [wildcard, matching] of table) {
      const { includes, errors } = await read(`include: "${wildcard}"`, { files });
      assert.deepEqual(
        [includes.map(({ location }) => location).join(' '), errors],
        [matching, []],
        wildcard,
      );
    }
    const none = await errorsOf('include: none/*.yml', { files });
    assert.deepEqual(none, ['Local file `none/*.yml` does not exist!']);
    const slow = wildcardPattern(`${'*a**'.repeat(100)}b`);
    assert.equal(slow.matches('a/'.repeat(2000)), false, 'in no more than their product');
  });

  it('takes patterns, variables in paths, and files of other projects at their refs', async () => {
    assert.deepEqual(
      await scriptOf('include: "ci/*.yml"\nx: {extends: .a, stage: one}', 'x', {
        files: { 'ci/a.yml': files['ci/a.yml'] },
      }),
      ['a'],
    );
    const text = `
variables: {WHERE: other}
include:
  - {project: $WHERE/lib, ref: v1, file: [lib.yml]}
x: {extends: .lib}
y: {extends: .inner}`;
    assert.deepEqual(await scriptOf(text, 'x', { projects }), ['lib']);
    assert.deepEqual(await scriptOf(text, 'y', { projects }), ['inner of the other']);
    const { includes } = await read(text, { projects });
    assert.deepEqual(includes[0]?.extra, { project: 'other/lib', ref: 'v1' });
    assert.deepEqual([includes[1]?.project, includes[1]?.contextProject], ['other/lib', 'other/lib']);
  });

  it('includes by rules', async () => {
    const text = (rule: string) =>
      `include: {local: ci/b.yml, rules: [${rule}]}\nstages: [one, test]\nx: {script: a}`;
    assert.deepEqual(await names(text('{if: $A}'), { files }), ['x']);
    assert.deepEqual(await names(text('{if: $A}'), { files, variables: { A: '1' } }), ['b', 'x']);
    assert.deepEqual(await names(text('{exists: [ci/a.yml]}'), { files }), ['b', 'x']);
    assert.deepEqual(await names(text('{when: never}'), { files }), ['x']);
    assert.deepEqual(await errorsOf(text('{when: manual}'), { files }), [
      'include:rules:rule when unknown value: manual',
    ]);
  });

  const table: [what: string, include: string, error: string][] = [
    ['a missing file', 'no.yml', 'Local file `no.yml` does not exist!'],
    ['a pattern that matches nothing', '"no/*.yml"', 'Local file `no/*.yml` does not exist!'],
    ['another ending', 'ci/text.txt', 'Included file `ci/text.txt` does not have YAML extension!'],
    ['an empty file', 'ci/empty.yml', 'Local file `ci/empty.yml` is empty!'],
    ['no mapping', 'ci/list.yml', '`ci/list.yml`: Invalid configuration format'],
    ['files that include themselves', 'loop.yml', 'Maximum of 150 nested includes are allowed!'],
    [
      'an unknown project',
      '{project: no/no, file: a.yml}',
      'Project `no/no` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.',
    ],
    [
      'an unknown ref',
      '{project: other/lib, ref: gone, file: a.yml}',
      'Project `other/lib` reference `gone` does not exist!',
    ],
    [
      'an unknown file',
      '{project: other/lib, file: a.yml}',
      'Project `other/lib` file `a.yml` does not exist!',
    ],
    [
      'a remote file',
      'https://example.com/a.yml',
      'Remote file `https://example.com/a.yml` could not be fetched because there is no network',
    ],
    [
      'a template',
      '{template: Auto-DevOps.gitlab-ci.yml}',
      'Included file `Auto-DevOps.gitlab-ci.yml` is empty or does not exist!',
    ],
    [
      'two ways at once',
      '{local: a.yml, remote: b}',
      'Include `{"local":"a.yml","remote":"b"}` needs to match exactly one accessor!',
    ],
    ['no way', '{rules: []}', 'Include `{"rules":[]}` needs to match exactly one accessor!'],
    ['a number', '[1]', 'include config should be a string, a hash or an array of them'],
  ];
  for (const [what, include, error] of table)
    it(`refuses ${what}`, async () =>
      assert.deepEqual(await errorsOf(`include: ${include}\nx: {script: a}`, { files, projects }), [error]));

  it('does not show what the variables in a path hold', async () => {
    const text = 'include: {project: $HUSH/lib, file: $HUSH.yml}\nx: {script: a}';
    const [error] = await errorsOf(text, { variables: { HUSH: 'secret' } });
    assert.match(error!, /^Project `\$HUSH\/lib` not found/);
    const local = await errorsOf('include: $HUSH.yml\nx: {script: a}', { variables: { HUSH: 'secret' } });
    assert.deepEqual(local, ['Local file `$HUSH.yml` does not exist!']);
  });

  it('reads no more than a bound of all files together', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 6 }, (_, n) => [`big/${n}.yml`, `# ${'x'.repeat(1_900_000)}\n.a: {}`]),
    );
    assert.deepEqual(await errorsOf('include: big/*.yml\nx: {script: a}', { files: many }), [
      'Total size of combined CI/CD configuration is too big',
    ]);
  });

  it('names the file that is no YAML', async () => {
    const [error] = await errorsOf('include: ci/broken.yml\nx: {script: a}', { files });
    assert.match(error!, /^`ci\/broken.yml`: \(<unknown>\): did not find expected ',' or '\]'/);
  });
});

describe('the merged file', () => {
  it('shows everything in its place', async () => {
    const { mergedYaml } = await read(
      '.a: {script: [a]}\nx: {extends: .a, script: [!reference [.a, script]], tags: ["1"]}',
    );
    assert.equal(
      await mergedYaml(),
      '---\n".a":\n  script:\n  - a\nx:\n  script:\n  - - a\n  extends: ".a"\n  tags:\n  - \'1\'\n',
    );
  });
});
