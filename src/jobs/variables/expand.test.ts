import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byKey, expandedValues, expandKnown, expandNested, expandText } from './expand.ts';
import { environmentSlug, slugOf } from './slug.ts';
import { configuredVariable } from './variable.ts';

/** `${NAME}`, which in source code reads as a mistake. */
const braced = (name: string) => `$\{${name}}`;

const known = (values: Record<string, string>, raw: string[] = []) =>
  byKey(
    Object.entries(values).map(([key, value]) => configuredVariable({ key, value, raw: raw.includes(key) })),
  );

describe('variables in a text', () => {
  it('are replaced in every way in which they are written, and in the values themselves', () => {
    const all = known({ A: 'a', B: 'b$A', C_1: `${braced('B')}%A%` });
    assert.equal(expandText(`$A-${braced('B')}-%C_1%`, all), 'a-ba-baa');
    assert.equal(expandText('$A1 is another, $ A and 5% are none', all), ' is another, $ A and 5% are none');
    assert.equal(expandText('$$A', all), '$A');
  });

  it('stay as they are in raw values', () => {
    assert.equal(expandText('$A', known({ A: '$B', B: 'b' }, ['A'])), '$B');
  });

  it('are nothing where nobody knows them, or stay for somebody who does', () => {
    assert.equal(expandText('[$UNKNOWN]', known({})), '[]');
    assert.equal(
      expandKnown('$UNKNOWN/$A/$$', known({ A: braced('MORE') })),
      `$UNKNOWN/${braced('MORE')}/$$`,
    );
  });

  it('that name themselves or each other come to an end', () => {
    assert.equal(expandText('$PATH', known({ PATH: 'bin:$PATH' })), 'bin:$PATH');
    assert.equal(expandText('$A', known({ A: '$B', B: '$A' })), '$A');
    const bomb = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`V${n}`, `$V${n + 1}$V${n + 1}`]));
    const all = known({ ...bomb, V60: 'x'.repeat(100) });
    assert.equal(expandText('$V0', all).length, 64 * 1024);
    const chain = known(
      Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`V${n}`, `$V${n + 1}.`])),
    );
    assert.equal(expandText('$V0', chain), '.'.repeat(100), 'one that is too long for the stack is cut');
    const values = expandedValues([...all.values()]);
    assert.ok([...values.values()].every(({ length }) => length <= 64 * 1024));
  });

  it('are replaced within each other for a runner, but for those that it must read itself', () => {
    const variable = (key: string, value: string, more: { raw?: boolean; type?: 'file' } = {}) =>
      configuredVariable({ key, value, raw: false, ...more });
    const all = [
      variable('OUT', '$ROOT/out'),
      variable('PACKAGE', `${braced('OUT')}/pkg/$HOME/$$`),
      variable('ROOT', '/srv'),
      variable('RAW', '$ROOT', { raw: true }),
      variable('FILE', 'in $ROOT', { type: 'file' }),
      variable('MIXED', '$RAW $FILE $MIXED'),
      variable('LONG', `$ROOT${'x'.repeat(64 * 1024)}`),
    ];
    assert.deepEqual(
      expandNested(all).map(({ value }) => value),
      ['/srv/out', '/srv/out/pkg/$HOME/$$', '/srv', '$ROOT', 'in /srv', '$RAW $FILE $MIXED', all[6]!.value],
    );
    const bomb = Array.from({ length: 60 }, (_, n) => variable(`V${n}`, `$V${n + 1}$V${n + 1}`));
    const values = expandNested([...bomb, variable('V60', 'x'.repeat(100))]);
    assert.ok(values.every(({ value }) => value.length <= 64 * 1024));
  });

  it('are compared by their last values', () => {
    const one = configuredVariable({ key: 'A', value: 'one', raw: false });
    const two = configuredVariable({ key: 'A', value: 'two $B', raw: false });
    const b = configuredVariable({ key: 'B', value: '$', raw: false });
    assert.deepEqual(
      [...expandedValues([one, b, two])],
      [
        ['A', 'two $'],
        ['B', '$'],
      ],
    );
  });
});

describe('the slug of a name', () => {
  it('is fit for a host name', () => {
    assert.equal(slugOf('Feature/Ärger_1--'), 'feature--rger-1');
    assert.equal(slugOf(`${'a'.repeat(62)}/b`), 'a'.repeat(62));
    assert.equal(slugOf('///'), '');
  });

  it('of an environment is short, begins with a letter and is its own', () => {
    assert.equal(environmentSlug('production'), 'production');
    const names = ['review/a', 'review-a', 'Review/a', '1', 'x'.repeat(40), 'x'.repeat(41)];
    const slugs = names.map(environmentSlug);
    assert.equal(new Set(slugs).size, names.length);
    for (const slug of slugs) assert.match(slug, /^[a-z][a-z0-9-]{0,22}[a-z0-9]$/);
  });
});
