import assert from 'node:assert/strict';
import type { PathFilter } from '../code-index.ts';
import type { Holds, IndexUnderTest } from './kit.ts';

/** What a search in paths gives, and what filters leave out. */
export function namesContract(holds: Holds, on: IndexUnderTest): void {
  const filterCases: { filters: [PathFilter['kind'], string, negated?: boolean][]; paths: string[] }[] = [
    { filters: [['filename', 'spec.rb']], paths: ['lib/x_spec.rb', 'spec.rb'] },
    { filters: [['filename', 'lib/X_Spec.RB']], paths: ['lib/x_spec.rb'] },
    { filters: [['filename', 'x*b']], paths: ['lib/x_spec.rb'] },
    { filters: [['filename', 'l*.md']], paths: ['lib/x.md'] },
    { filters: [['path', 'LIB/']], paths: ['lib/x.md', 'lib/x_spec.rb'] },
    { filters: [['path', 's*e']], paths: ['lib/x_spec.rb', 'spec.rb'] },
    { filters: [['path', 'GRÖßE']], paths: ['Größe/[a]?.txt'] },
    { filters: [['path', '[a]?']], paths: ['Größe/[a]?.txt'] },
    { filters: [['extension', 'rb']], paths: ['lib/x_spec.rb', 'spec.rb'] },
    { filters: [['extension', 'r*']], paths: ['lib/x_spec.rb', 'spec.rb'] },
    { filters: [['extension', 'b']], paths: [] },
    { filters: [['extension', 'rb', true]], paths: ['Größe/[a]?.txt', 'lib/x.md'] },
    {
      filters: [
        ['path', 'lib'],
        ['extension', 'rb', true],
      ],
      paths: ['lib/x.md'],
    },
    { filters: [['path', '*']], paths: ['Größe/[a]?.txt', 'lib/x.md', 'lib/x_spec.rb', 'spec.rb'] },
  ];

  holds('filters by name, path and extension', async () => {
    const files = ['lib/x_spec.rb', 'lib/x.md', 'spec.rb', 'Größe/[a]?.txt'];
    const { corpus } = await on.indexed(Object.fromEntries(files.map((file) => [file, 'needle\n'])));
    for (const { filters: rows, paths } of filterCases) {
      const filters = rows.map(([kind, pattern, negated = false]) => ({ kind, pattern, negated }));
      const why = JSON.stringify(rows);
      assert.deepEqual(
        await on.places('needle', [corpus], { filters }),
        paths.map((path) => `${path}:1`),
        why,
      );
      assert.deepEqual(await on.names('.', [corpus], { filters }), paths, why);
    }
  });

  holds('finds names by any part of the path, whatever the case', async () => {
    const source = await on.indexed({ 'src/Main.TS': 'x'.repeat(2000), 'src/a*b': 'short', ПРИВЕТ: 'y\n' });
    const found = (text: string) => on.names(text, [source.corpus]);
    assert.deepEqual(await found('SRC/main'), ['src/Main.TS']);
    assert.deepEqual(await found('*'), ['src/a*b']);
    assert.deepEqual(await found('привет'), ['ПРИВЕТ']);
    assert.deepEqual(await found('src\0'), []);
    assert.deepEqual(await found('nowhere'), []);
    const { hits } = await on.ask('src/', [source.corpus], { part: 'names' });
    assert.deepEqual(
      hits.map(({ startLine, data }) => [startLine, data]),
      [
        [1, 'x'.repeat(1024)],
        [1, 'short'],
      ],
    );
    assert.equal(hits[1]?.blob, await source.work.git('rev-parse', 'HEAD:src/a*b'));
  });

  holds('cuts the beginning of a file between characters', async () => {
    const { corpus } = await on.indexed({ 'cut.txt': `a${'é'.repeat(600)}` });
    const { hits } = await on.ask('cut.txt', [corpus], { part: 'names' });
    assert.equal(hits[0]?.data, `a${'é'.repeat(511)}`);
  });

  holds('finds binary and empty files, links aside, by name only', async () => {
    const source = await on.newSource();
    await source.link('bin.link', 'bin.1');
    await source.submodule('bin.module');
    await source.save({
      'bin.1': Buffer.from('needle\0needle\n'),
      'bin.2': Buffer.concat([Buffer.alloc(7_999, 'needle\n'), Buffer.from('\0')]),
      'bin.3': Buffer.concat([Buffer.alloc(8_000, 'text\n'), Buffer.from('\0 needle\n')]),
      'bin.4': '',
    });
    await on.push(source);
    assert.deepEqual(await on.names('bin', [source.corpus]), ['bin.1', 'bin.2', 'bin.3', 'bin.4']);
    const { hits } = await on.ask('needle', [source.corpus]);
    assert.deepEqual(
      hits.map(({ path }) => path),
      ['bin.3'],
    );
    const [first] = (await on.ask('bin.1', [source.corpus], { part: 'names' })).hits;
    assert.equal(first?.data, 'needle\0needle\n');
  });
}
