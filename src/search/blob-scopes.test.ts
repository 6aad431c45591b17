import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedCommit } from '../../test/support/seed.ts';
import { Level } from '../core/access/levels.ts';
import { findProject } from '../core/projects/find.ts';
import { SearchBench } from './testing.ts';

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
    const { status, body } = await bench.search(place, { scope: 'blobs', search: '(', regex: true });
    assert.equal(status, 400);
    assert.match(body.message, /^400 Bad request - /);
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
