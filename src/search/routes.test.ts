import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SearchBench } from './testing.ts';

describe('search routes', () => {
  let bench: SearchBench;
  before(async () => {
    bench = await SearchBench.open();
    const group = await bench.made('POST', '/groups', { name: 'g', path: 'g' });
    await bench.made('POST', '/projects', { name: 'p', namespace_id: group.id });
  });
  after(() => bench.close());

  const scopeList = 'scope does not have a valid value';
  const refused: [place: string, query: Record<string, unknown>, body: unknown][] = [
    ['', {}, `search is missing, scope is missing, ${scopeList}`],
    ['', { search: 'a' }, `scope is missing, ${scopeList}`],
    ['', { scope: 'projects' }, 'search is missing'],
    ['', { search: 'a', scope: '' }, scopeList],
    ['', { search: 'a', scope: 'Projects' }, scopeList],
    ['', { search: 'a', scope: 'notes' }, scopeList],
    ['groups/g', { search: 'a', scope: 'snippet_titles' }, scopeList],
    ['groups/g', { search: 'a', scope: 'notes' }, scopeList],
    ['projects/g%2Fp', { search: 'a', scope: 'projects' }, scopeList],
    ['projects/g%2Fp', { search: 'a', scope: 'snippet_blobs' }, scopeList],
    ['projects/nowhere%2Fx', { search: 'a', scope: 'nonsense' }, scopeList],
    ['', { 'search[]': 'a', scope: 'projects' }, 'search is invalid'],
    ['', { search: 'a', scope: 'issues', state: 'open' }, 'state does not have a valid value'],
    ['', { search: 'a', scope: 'issues', confidential: 'maybe' }, 'confidential is invalid'],
    [
      '',
      { search: 'a', scope: 'projects', page: 'x', per_page: 'y' },
      'page is invalid, per_page is invalid',
    ],
    ['', { search: 'a', scope: 'projects', per_page: 0 }, 'per_page has a value not allowed'],
    ['', { search: 'ab', scope: 'projects', pagination: 'keyset', cursor: '%%' }, 'cursor is invalid'],
    [
      '',
      { search: 'ab', scope: 'projects', pagination: 'keyset', cursor: btoa('{"value":"x","id":1}') },
      'cursor is invalid',
    ],
  ];
  for (const [place, query, error] of refused) {
    it(`refuses ${JSON.stringify(query)} in ${place || 'everything'}`, async () => {
      const { status, body } = await bench.search(place, query);
      assert.deepEqual([status, body], [400, { error }]);
    });
  }

  it('asks who calls before anything else', async () => {
    for (const place of ['', 'groups/g', 'projects/nowhere%2Fx', 'projects/g%2Fp/-']) {
      const { status, body } = await bench.search(place, {}, { token: null });
      assert.deepEqual([status, body], [401, { message: '401 Unauthorized' }]);
    }
  });

  it('answers 404 for what is not there or hidden', async () => {
    const stranger = await bench.person('stranger');
    const query = { search: 'abc', scope: 'issues' };
    for (const place of ['groups/g', 'groups/nowhere', 'groups/g/-']) {
      const { status, body } = await bench.search(place, query, { token: stranger.token });
      assert.deepEqual([status, body], [404, { message: '404 Group Not Found' }]);
    }
    for (const place of ['projects/g%2Fp', 'projects/999', 'projects/g%2Fp/-']) {
      const { status, body } = await bench.search(place, query, { token: stranger.token });
      assert.deepEqual([status, body], [404, { message: '404 Project Not Found' }]);
    }
  });

  it('finds a renamed project by its new address', async () => {
    const { id } = await bench.made('POST', '/projects', { name: 'before' });
    await bench.made('PUT', `/projects/${id}`, { path: 'after' });
    const { status, headers } = await bench.search('projects/root%2Fbefore', {
      search: 'abc',
      scope: 'issues',
    });
    assert.equal(status, 301);
    assert.match(headers['location'] ?? '', new RegExp(`/projects/${id}/search\\?scope=issues&search=abc$`));
  });

  it('says by which way it searched, and the pages without totals', async () => {
    const { status, headers } = await bench.search('', { search: 'g', scope: 'projects' });
    assert.equal(status, 200);
    const { headers: found } = await bench.search('', { search: 'g / p', scope: 'projects' });
    assert.equal(headers['x-search-type'], 'basic');
    assert.equal(headers['content-transfer-encoding'], 'binary');
    assert.deepEqual(
      [found['x-page'], found['x-per-page'], found['x-next-page'], found['x-prev-page'], found['x-total']],
      ['1', '20', '', '', undefined],
    );
    assert.match(found['link'] ?? '', /^<[^>]+>; rel="first"$/);
  });

  it('answers nothing for what it will not look for', async () => {
    for (const search of ['x', 'the', 'a'.repeat(100), 'ab '.repeat(65), 'a|b|c|d|e|f']) {
      for (const place of ['', 'groups/g']) {
        const { status, body, headers } = await bench.search(place, { search, scope: 'projects' });
        assert.deepEqual([status, body, headers['x-page']], [200, [], '1']);
      }
    }
  });

  it('takes hostile texts for texts', async () => {
    for (const search of [
      '"',
      '""',
      '" OR 1=1 --',
      "' or ''='",
      'AND OR NOT',
      '*abc* NEAR(x y)',
      '%%%',
      '___',
      '\\\\\\',
      'a"b"c',
      '{x} : y',
      '\u202eabc',
    ]) {
      for (const scope of ['projects', 'merge_requests', 'milestones', 'users']) {
        const { status, body } = await bench.search('', { search, scope });
        assert.ok(
          status === 200 && body.length === 0,
          `${scope} ${search}: ${status} ${JSON.stringify(body)}`,
        );
      }
    }
    const { status } = await bench.service.api('GET', '/search?scope=projects&search=a%00b');
    assert.equal(status, 400);
  });

  it('leaves out what an administrator switched off, over everything', async () => {
    await bench.made('PUT', '/application/settings', { global_search_merge_requests_enabled: false });
    const query = { search: 'abc', scope: 'merge_requests' };
    const { status, body } = await bench.search('', query);
    assert.deepEqual(
      [status, body],
      [403, { message: '403 Forbidden - Global Search is disabled for this scope' }],
    );
    assert.equal((await bench.search('groups/g', query)).status, 200);
    await bench.made('PUT', '/application/settings', { global_search_merge_requests_enabled: true });
  });

  it('limits how often somebody searches where an administrator says so', async () => {
    const busy = await bench.person('busy');
    await bench.made('PUT', '/application/settings', { search_rate_limit: 2 });
    const search = () => bench.search('', { search: 'abc', scope: 'nonsense' }, { token: busy.token });
    assert.equal((await search()).status, 400);
    assert.equal((await search()).status, 400);
    const { status, body, headers } = await search();
    assert.equal(status, 429);
    assert.deepEqual(body, {
      message: { error: 'This endpoint has been requested too many times. Try again later.' },
    });
    assert.ok(Number(headers['retry-after']) > 0);
    await bench.made('PUT', '/application/settings', { search_rate_limit: 0 });
    assert.equal((await search()).status, 400);
  });
});
