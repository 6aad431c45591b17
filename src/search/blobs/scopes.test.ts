import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedCommit } from '../../../test/support/seed.ts';
import { Level } from '../../core/access/levels.ts';
import { findProject } from '../../core/projects/find.ts';
import { SearchBench } from '../testing.ts';

describe('files and wikis over the routes', () => {
  let bench: SearchBench;
  const place = 'projects/g%2Fp';

  before(async () => {
    bench = await SearchBench.open();
    const { core } = bench.service;
    const group = await bench.made('POST', '/groups', { name: 'g', path: 'g', visibility: 'internal' });
    for (const [name, visibility] of [
      ['p', 'private'],
      ['q', 'internal'],
    ] as const) {
      await bench.made('POST', '/projects', { name, namespace_id: group.id, visibility });
      const { project } = (await findProject(core.db, `g/${name}`))!;
      const files = { 'src/open.c': `int open_${name}(void);\n`, 'doc/open.md': `Open ${name}.\n` };
      await seedCommit(core, project, { branch: 'main', files });
      await bench.made('POST', `/projects/g%2F${name}/wikis`, {
        title: 'Opening hours',
        content: `Opens for ${name}`,
      });
    }
    await bench.service.service.codeSearch.idle();
  });
  after(() => bench.close());

  const found = (where: string, query: Record<string, unknown>, field = 'data') =>
    bench.found(where, { scope: 'blobs', ...query }, field);

  it('answers names, then contents, in the order of projects', async () => {
    const paths = ['doc/open.md', 'src/open.c'];
    assert.deepEqual(await found('groups/g', { search: 'open' }, 'path'), [
      ...paths,
      ...paths,
      ...paths,
      ...paths,
    ]);
    assert.deepEqual(await found(place, { search: 'open extension:c' }, 'startline'), [1, 1]);
  });

  it('takes an expression where it is asked for, bars and all', async () => {
    assert.deepEqual(await found('', { search: 'open_[pq]\\(void\\)|aa|bb|cc|dd|ee|ff', regex: true }), [
      'int open_p(void);\n',
      'int open_q(void);\n',
    ]);
    assert.deepEqual(await found('', { search: 'open_[pq]' }), []);
    for (const search of ['(', '*', 'path:src [z-a]', '\\1(a)', '(?=open)']) {
      const { status, body } = await bench.search(place, { scope: 'blobs', search, regex: true });
      assert.equal(status, 400, search);
      assert.match(body.message, /^400 Bad request - \S/);
    }
  });

  it('heeds letter case where that is asked for, in texts and expressions, not in filters', async () => {
    const inPages = { scope: 'wiki_blobs', case_sensitive: true };
    for (const where of ['', 'groups/g', place]) {
      const paths = (query: Record<string, unknown>) => found(where, query, 'path');
      const exact = [...new Set((await paths({ search: 'Open', case_sensitive: true })) as string[])];
      assert.deepEqual(exact, ['doc/open.md']);
      assert.deepEqual(await paths({ search: 'OPEN', case_sensitive: true }), []);
      assert.ok(((await paths({ search: 'OPEN', case_sensitive: false })) as string[]).length > 0);
      const expression = { search: '^O.*p\\. EXTENSION:md', regex: true, case_sensitive: true };
      assert.deepEqual(await paths(expression), []);
      assert.deepEqual(await paths({ ...expression, search: '^O.*p\\. extension:MD -path:SRC' }), [
        'doc/open.md',
      ]);
      assert.deepEqual(await paths({ ...expression, search: '^o.*p\\. extension:MD' }), []);
      assert.deepEqual(await paths({ search: 'Open p case:yes', search_type: 'zoekt' }), ['doc/open.md']);
      assert.deepEqual(await paths({ search: 'OPEN p case:yes', search_type: 'zoekt' }), []);
      assert.deepEqual(await paths({ search: 'Open p case:yes' }), []);
      assert.deepEqual(await paths({ ...inPages, search: 'opening hours' }), []);
      assert.ok(((await paths({ ...inPages, search: 'Opening hours' })) as string[]).length > 0);
    }
    for (const name of ['case_sensitive', 'exclude_forks', 'regex']) {
      const { status, body } = await bench.search(place, { scope: 'blobs', search: 'ab', [name]: 'perhaps' });
      assert.deepEqual([status, body], [400, { error: `${name} is invalid` }]);
    }
  });

  it('leaves forks out where that is asked for', async () => {
    const fork = await bench.made('POST', '/projects/g%2Fp/fork', { path: 'forked', name: 'forked' });
    await bench.service.service.codeSearch.idle();
    const ids = async (query: Record<string, unknown>, where = '') =>
      new Set((await found(where, { search: 'open_p', ...query }, 'project_id')) as number[]);
    assert.ok((await ids({})).has(fork.id));
    assert.ok((await ids({ exclude_forks: false })).has(fork.id));
    const without = await ids({ exclude_forks: true });
    assert.deepEqual([without.size, without.has(fork.id)], [1, false]);
    assert.equal((await ids({ exclude_forks: true }, `projects/${fork.id}`)).size, 1);
    await bench.made('DELETE', `/projects/${fork.id}`);
  });

  it('says by which way it searched', async () => {
    for (const scope of ['blobs', 'wiki_blobs', 'commits']) {
      const many = await bench.search('', { scope, search: 'open' });
      const one = await bench.search(place, { scope, search: 'open' });
      assert.deepEqual([many.headers['x-search-type'], many.headers['x-total']], ['advanced', undefined]);
      assert.equal(one.headers['x-search-type'], 'basic');
      assert.ok(one.headers['x-total']);
    }
  });

  it('looks only into projects whose code, or wiki, the caller may read', async () => {
    const stranger = await bench.person('stranger');
    const guest = await bench.person('guest');
    await bench.admit(place, guest, Level.guest);
    const ids = async (scope: string, person: typeof guest) =>
      new Set((await bench.found('', { scope, search: 'open' }, 'project_id', person)) as number[]).size;
    assert.deepEqual([await ids('blobs', stranger), await ids('wiki_blobs', stranger)], [1, 1]);
    // Guests of a private project see its wiki, not its code.
    assert.deepEqual([await ids('blobs', guest), await ids('wiki_blobs', guest)], [1, 2]);
    const { status, body, headers } = await bench.search(
      place,
      { scope: 'blobs', search: 'open' },
      { token: guest.token },
    );
    assert.deepEqual([status, body, headers['x-page']], [200, [], undefined]);
    await bench.made('PUT', '/projects/g%2Fq', { wiki_access_level: 'disabled' });
    assert.deepEqual([await ids('blobs', stranger), await ids('wiki_blobs', stranger)], [1, 0]);
    await bench.made('POST', '/projects/g%2Fq/archive');
    assert.equal(await ids('blobs', stranger), 0);
  });

  it('finds nothing at a ref that is none', async () => {
    for (const ref of ['nowhere', 'main~1', '--all', 'a b']) {
      assert.deepEqual(await found(place, { search: 'open', ref }), []);
    }
    assert.deepEqual(await found(place, { search: 'open_p', ref: 'main' }, 'ref'), ['main']);
  });
});
