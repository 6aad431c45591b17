import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedCommit } from '../../../test/support/seed.ts';
import { Level } from '../../core/access/levels.ts';
import { findProject } from '../../core/projects/find.ts';
import { SearchBench } from '../testing.ts';

describe('searching commits', () => {
  let bench: SearchBench;
  const ids: Record<string, string> = {};

  const commit = async (path: string, message: string, branch = 'main') => {
    const { project } = (await findProject(bench.service.core.db, path))!;
    const from = branch === 'main' ? {} : { from: 'main' };
    return seedCommit(bench.service.core, project, {
      branch,
      ...from,
      files: { [message]: message },
      message,
    });
  };

  before(async () => {
    bench = await SearchBench.open();
    const group = await bench.made('POST', '/groups', { name: 'g', path: 'g' });
    await bench.made('POST', '/projects', { name: 'p', namespace_id: group.id });
    await bench.made('POST', '/projects', { name: 'q', visibility: 'public' });
    await bench.made('POST', '/projects', { name: 'empty', visibility: 'public' });
    ids['first'] = await commit('g/p', 'Первый коммит\n\nfoo.bar (baz)\n');
    ids['second'] = await commit('g/p', 'Second foo-bar\n');
    ids['side'] = await commit('g/p', 'On the side: foo\n', 'side/one');
    ids['other'] = await commit('root/q', 'Other foo\n');
  });
  after(() => bench.close());

  const found = (place: string, search: string, more: Record<string, unknown> = {}) =>
    bench.found(place, { scope: 'commits', search, ...more }, 'id');
  const idsOf = (...names: string[]) => names.map((name) => ids[name]);

  it('takes the text for a basic regular expression in any case, in one project', async () => {
    for (const [search, names] of Object.entries({
      FOO: ['second', 'first'],
      'foo.bar': ['second', 'first'],
      'foo\\.bar': ['first'],
      '(baz)': ['first'],
      ПЕРВЫЙ: ['first'],
      '^second': ['second'],
      'baz\\|second': ['second', 'first'],
      'foo(bar': [],
      '[': [],
      '\\(': [],
      '': [],
      '\\(a*\\)*\\1': [],
      'a\\{255\\}\\{255\\}': [],
      '--output=/tmp/x': [],
      '-n1': [],
    })) {
      assert.deepEqual(await found('projects/g%2Fp', search), idsOf(...names), search);
    }
  });

  it('looks behind the ref that is asked for', async () => {
    assert.deepEqual(
      await found('projects/g%2Fp', 'foo', { ref: 'side/one' }),
      idsOf('side', 'second', 'first'),
    );
    assert.deepEqual(await found('projects/g%2Fp', 'foo', { ref: ids['first'] }), idsOf('first'));
    for (const ref of ['nowhere', 'main~1', '--all', 'a b', 'main..side/one']) {
      assert.deepEqual(await found('projects/g%2Fp', 'foo', { ref }), [], ref);
    }
    assert.deepEqual(await found('projects/root%2Fempty', 'foo'), []);
  });

  it('finds a commit by its id, on whatever branch', async () => {
    const { side = '' } = ids;
    for (const search of [side, side.slice(0, 7), ` ${side.slice(0, 12).toUpperCase()} `]) {
      assert.deepEqual(await found('projects/g%2Fp', search), [side], search);
    }
    assert.deepEqual(await found('projects/g%2Fp', side.slice(0, 6)), []);
    assert.deepEqual(await found('projects/g%2Fp', '0000000'), []);
  });

  it('shows a commit as its own page does, without figures, and says how many there are', async () => {
    await bench.made('POST', `/projects/g%2Fp/statuses/${ids['second']}`, { state: 'success', name: 'ci' });
    const { body, headers } = await bench.search('projects/g%2Fp', { scope: 'commits', search: 'foo-bar' });
    const detail = (await bench.service.api('GET', `/projects/g%2Fp/repository/commits/${ids['second']}`))
      .body;
    const { stats, ...shown } = detail;
    assert.ok(stats);
    assert.deepEqual(body, [shown]);
    assert.deepEqual(
      [body[0].status, headers['x-total'], headers['x-search-type']],
      ['success', '1', 'basic'],
    );
  });

  it('looks through all projects by an index, for the text as it is', async () => {
    for (const [search, names] of Object.entries({
      FOO: ['other', 'second', 'first'],
      'foo.bar': ['first'],
      'первый КОММИТ': ['first'],
      'ann@example': ['other', 'second', 'first'],
      [ids['other']!.slice(0, 9)]: ['other'],
      fo: ['other', 'second', 'first'],
      '"*"': [],
      '': [],
    })) {
      assert.deepEqual(new Set((await found('', search)) as string[]), new Set(idsOf(...names)), search);
    }
    assert.deepEqual(await found('groups/g', 'FOO'), idsOf('second', 'first'));
    const { body, headers } = await bench.search('groups/g', { scope: 'commits', search: 'foo-bar' });
    assert.deepEqual([body[0].status, body[0].stats, headers['x-total']], ['success', undefined, undefined]);
    assert.equal(headers['x-search-type'], 'advanced');
  });

  it('follows pushes, rewritten history and the end of a project', async () => {
    const { core } = bench.service;
    const made = await bench.made('POST', '/projects', { name: 'moving', visibility: 'public' });
    const { project } = (await findProject(core.db, String(made.id)))!;
    const base = await commit('root/moving', 'Quokka base\n');
    const lost = await commit('root/moving', 'Quokka lost\n');
    assert.deepEqual(new Set((await found('', 'quokka')) as string[]), new Set([lost, base]));
    await core.refUpdates.update(project, [{ ref: 'refs/heads/main', old: lost, new: base }], {
      userId: 1,
      via: 'push',
    });
    assert.deepEqual(await found('', 'quokka'), [base]);
    await bench.made('DELETE', `/projects/${made.id}`);
    assert.deepEqual(await found('', 'quokka'), []);
  });

  it('shows what is in projects whose code one may read, and the pipeline to those who may read that', async () => {
    const stranger = await bench.person('stranger');
    const query = { scope: 'commits', search: 'foo' };
    assert.deepEqual(await bench.found('', query, 'id', stranger), idsOf('other'));
    await bench.made('POST', `/projects/root%2Fq/statuses/${ids['other']}`, { state: 'success', name: 'ci' });
    assert.deepEqual(await bench.found('', query, 'status', stranger), ['success']);
    await bench.made('PUT', '/projects/root%2Fq', { public_jobs: false });
    for (const place of ['', 'projects/root%2Fq'])
      assert.deepEqual(await bench.found(place, query, 'status', stranger), [null]);
    await bench.admit('projects/g%2Fp', stranger, Level.guest);
    assert.deepEqual(await bench.found('', query, 'id', stranger), idsOf('other'));
    await bench.made('PUT', '/projects/root%2Fq', { repository_access_level: 'private' });
    assert.deepEqual(await bench.found('', query, 'id', stranger), []);
  });
});

it('offers commits of many projects only with an index', async () => {
  const bench = await SearchBench.open('sqlite', { codeIndex: false });
  const refused = { error: 'scope does not have a valid value' };
  for (const scope of ['commits', 'blobs', 'wiki_blobs']) {
    assert.deepEqual(await bench.found('', { scope, search: 'abc' }, 'id'), refused);
  }
  await bench.close();
});
