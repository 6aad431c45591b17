import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { seedCommit } from '../../test/support/seed.ts';
import { findProject } from '../core/projects/find.ts';
import { SearchBench } from './testing.ts';

for (const kind of dialects) {
  describe(`what is found on ${kind}`, () => {
    let bench: SearchBench;
    const place = 'projects/g%2Fp';

    before(async () => {
      bench = await SearchBench.open(kind);
      const group = await bench.made('POST', '/groups', { name: 'Grüppe', path: 'g' });
      await bench.made('POST', '/projects', { name: 'Prøject', path: 'p', namespace_id: group.id });
    });
    after(() => bench.close());

    const found = (scope: string, search: string, field = 'title', where = '') =>
      bench.found(where, { scope, search }, field);

    it('finds issues by pieces of words in any letter case of any alphabet', async () => {
      await bench.made('POST', `/${place}/issues`, {
        title: 'ОБНОВЛЕНИЕ базы',
        description: 'Größe: 50%_\\',
      });
      await bench.made('POST', `/${place}/issues`, {
        title: 'Other',
        description: 'foo in title, "really bar"',
      });
      await bench.made('POST', `/${place}/issues`, { title: 'ab' });
      for (const [search, titles] of Object.entries({
        обновл: ['ОБНОВЛЕНИЕ базы'],
        'НОВЛЕНИЕ БАЗ': ['ОБНОВЛЕНИЕ базы'],
        GRÖSSE: [],
        größe: ['ОБНОВЛЕНИЕ базы'],
        GRÖß: ['ОБНОВЛЕНИЕ базы'],
        grosse: [],
        '50%_\\': ['ОБНОВЛЕНИЕ базы'],
        '50_': [],
        'bar foo': ['Other'],
        '"really bar"': ['Other'],
        '"bar really"': [],
        'other foo': [],
        AB: ['ab'],
        ac: [],
        '"': [],
        'oth NEAR': [],
      })) {
        assert.deepEqual(await found('issues', search), titles, search);
        assert.deepEqual(await found('issues', search, 'title', place), titles, search);
      }
      assert.equal(((await found('issues', '')) as unknown[]).length, 3);
    });

    it('finds issues by their numbers in every project', async () => {
      await bench.made('POST', '/projects', { name: 'twin' });
      await bench.made('POST', '/projects/root%2Ftwin/issues', { title: 'Twin' });
      assert.deepEqual(await found('issues', 'see #1'), ['Twin', 'ОБНОВЛЕНИЕ базы']);
      assert.deepEqual(await found('issues', '#1', 'title', place), ['ОБНОВЛЕНИЕ базы']);
      assert.deepEqual(await found('issues', '!1'), []);
      assert.deepEqual(await found('issues', '#77'), []);
    });

    it('shows issues as lists do, without links', async () => {
      const { body } = await bench.search('', { scope: 'issues', search: 'Twin' });
      const [listed] = (await bench.service.api('GET', '/projects/root%2Ftwin/issues')).body;
      const { _links, ...shown } = listed;
      assert.ok(_links.self);
      assert.deepEqual(body, [{ ...shown, references: { ...shown.references, relative: 'root/twin#1' } }]);
    });

    it('follows changes, removals and the end of a whole project', async () => {
      const { iid } = await bench.made('POST', `/${place}/issues`, {
        title: 'Ephemeral',
        description: 'gossamer',
      });
      await bench.made('PUT', `/${place}/issues/${iid}`, { description: 'cobweb' });
      assert.deepEqual(await found('issues', 'gossamer'), []);
      assert.deepEqual(await found('issues', 'cobweb'), ['Ephemeral']);
      await bench.made('DELETE', `/${place}/issues/${iid}`);
      assert.deepEqual(await found('issues', 'cobweb'), []);
      await bench.made('POST', '/projects', { name: 'doomed', description: 'shortlived' });
      await bench.made('POST', '/projects/root%2Fdoomed/issues', { title: 'Doomed thing' });
      assert.deepEqual(await found('issues', 'doomed thing'), ['Doomed thing']);
      await bench.made('DELETE', '/projects/root%2Fdoomed');
      assert.deepEqual(await found('issues', 'doomed thing'), []);
      assert.deepEqual(await found('projects', 'shortlived', 'path'), []);
      await bench.made('POST', '/projects', { name: 'doomed' });
      assert.deepEqual(await found('projects', 'shortlived', 'path'), []);
    });

    it('narrows issues by state and orders them by pairs it knows', async () => {
      const one = await bench.made('POST', `/${place}/issues`, { title: 'Queue one', confidential: true });
      await bench.made('POST', `/${place}/issues`, { title: 'Queue two' });
      await bench.made('PUT', `/${place}/issues/${one.iid}`, { state_event: 'close' });
      const queue = (query: Record<string, unknown>) =>
        bench.found('', { scope: 'issues', search: 'queue', ...query }, 'title');
      assert.deepEqual(await queue({}), ['Queue two', 'Queue one']);
      assert.deepEqual(await queue({ state: 'opened' }), ['Queue two']);
      assert.deepEqual(await queue({ state: 'closed' }), ['Queue one']);
      assert.deepEqual(await queue({ state: 'merged' }), []);
      assert.deepEqual(await queue({ state: 'all' }), ['Queue two', 'Queue one']);
      assert.deepEqual(await queue({ confidential: true }), ['Queue one']);
      assert.deepEqual(await queue({ confidential: false }), ['Queue two']);
      assert.deepEqual(await queue({ order_by: 'created_at', sort: 'asc' }), ['Queue one', 'Queue two']);
      assert.deepEqual(await queue({ order_by: 'updated_at', sort: 'desc' }), ['Queue one', 'Queue two']);
      assert.deepEqual(await queue({ order_by: 'nonsense', sort: 'asc' }), ['Queue two', 'Queue one']);
      assert.deepEqual(await queue({ sort: 'asc' }), ['Queue two', 'Queue one']);
    });

    it('finds merge requests by text, number and state', async () => {
      const { core } = bench.service;
      const { project } = (await findProject(core.db, 'g/p'))!;
      await seedCommit(core, project, { branch: 'main', files: { a: '1\n' } });
      await seedCommit(core, project, { branch: 'topic', from: 'main', files: { b: '2\n' } });
      const made = await bench.made('POST', `/${place}/merge_requests`, {
        ...{ title: 'Élan vital', description: 'Merge me', source_branch: 'topic', target_branch: 'main' },
      });
      for (const search of ['éLAN', 'merge ME', '!1', '#1', 'fixes !1']) {
        assert.deepEqual(await found('merge_requests', search, 'id'), [made.id], search);
      }
      assert.deepEqual(await found('merge_requests', 'elan', 'id'), []);
      const closed = { scope: 'merge_requests', search: 'vital', state: 'closed' };
      assert.deepEqual(await bench.found('', closed, 'id'), []);
      const answer = await bench.search(place, { scope: 'merge_requests', search: 'vital' });
      const [listed] = (await bench.service.api('GET', `/${place}/merge_requests`)).body;
      assert.deepEqual(answer.body, [listed]);
    });

    it('finds milestones of projects, closed ones too, last changed first', async () => {
      const old = await bench.made('POST', `/${place}/milestones`, { title: 'Version Ünus' });
      await bench.made('POST', `/${place}/milestones`, { title: 'Version two', description: 'ünus duo' });
      await bench.made('PUT', `/${place}/milestones/${old.id}`, { state_event: 'close' });
      for (const where of ['', 'groups/g', place]) {
        assert.deepEqual(await found('milestones', 'ÜNUS', 'title', where), ['Version Ünus', 'Version two']);
      }
      const { body } = await bench.search('', { scope: 'milestones', search: 'unus ünus' });
      assert.deepEqual(body, []);
    });

    it('finds projects by full path, full name and description, however short the words', async () => {
      await bench.made('POST', '/projects', { name: 'Tool Box', path: 'tb', description: 'Hammers & Nägel' });
      const paths = (search: string) => found('projects', search, 'path_with_namespace');
      assert.deepEqual(await paths('PRØJ'), ['g/p']);
      assert.deepEqual(await paths('grüppe / prø'), ['g/p']);
      assert.deepEqual(await paths('g/p'), ['g/p']);
      assert.deepEqual(await paths('tb'), ['root/tb']);
      assert.deepEqual(await paths('NÄGEL &'), ['root/tb']);
      assert.deepEqual(await found('projects', 'p', 'path', 'groups/g'), []);
      assert.deepEqual(await found('projects', 'øj', 'path', 'groups/g'), ['p']);
      await bench.made('PUT', '/projects/root%2Ftb', { name: 'Workshop' });
      assert.deepEqual(await paths('tool'), []);
      assert.deepEqual(await paths('workshop'), ['root/tb']);
      const [project] = (await bench.search('', { scope: 'projects', search: 'workshop' })).body;
      assert.equal(project.description, 'Hammers & Nägel');
    });

    it('finds people: whose name it is first, addresses only whole', async () => {
      const people: [string, string][] = [
        ['zed', 'Jo'],
        ['jo', 'Zoe'],
        ['bjorn', 'Bjørn Jo'],
        ['anna', 'Ana Jo'],
      ];
      for (const [username, name] of people) {
        await bench.made('POST', '/users', {
          ...{
            username,
            name,
            email: `${username}@mail.test`,
            password: 'long-enough-1',
            skip_confirmation: true,
          },
        });
      }
      const names = (search: string, where = '') => found('users', search, 'username', where);
      assert.deepEqual(await names('jo'), ['zed', 'jo', 'anna', 'bjorn']);
      assert.deepEqual(await names('@JO'), ['zed', 'jo', 'anna', 'bjorn']);
      assert.deepEqual(await names('BJØRN'), ['bjorn']);
      assert.deepEqual(await names('anna@mail.test'), ['anna']);
      assert.deepEqual(await names('anna@mail'), []);
      assert.deepEqual(await names('jo', place), []);
      const [user] = (await bench.service.api('GET', '/users', { query: { username: 'anna' } })).body;
      await bench.made('POST', '/groups/g/members', { user_id: user.id, access_level: 20 });
      assert.deepEqual(await names('jo', place), ['anna']);
      assert.deepEqual(await names('jo', 'groups/g'), ['anna']);
      const { headers } = await bench.search(place, { scope: 'users', search: 'jo' });
      assert.deepEqual([headers['x-total'], headers['x-total-pages']], ['1', '1']);
    });

    it('finds what people wrote, not what the service noted', async () => {
      const issue = await bench.made('POST', `/${place}/issues`, { title: 'Discussed' });
      const notes = `/${place}/issues/${issue.iid}/notes`;
      const first = await bench.made('POST', notes, { body: 'The Zeppelin lands' });
      await bench.made('POST', notes, { body: 'A zeppelin starts' });
      await bench.made('PUT', `/${place}/issues/${issue.iid}`, { title: 'Zeppelin discussed' });
      await bench.made('PUT', `${notes}/${first.id}`, { body: 'The Zeppelin landed' });
      const { body, headers } = await bench.search(place, { scope: 'notes', search: 'zeppelin' });
      assert.deepEqual(
        body.map((note: { body: string }) => note.body),
        ['The Zeppelin landed', 'A zeppelin starts'],
      );
      assert.deepEqual([headers['x-total'], body[0].noteable_iid, body[0].system], ['2', issue.iid, false]);
      assert.deepEqual(await found('notes', 'zeppelin lands', 'id', place), []);
    });

    it('finds snippets by title and file name, and by what is in each file', async () => {
      const made = await bench.made('POST', '/snippets', {
        title: 'Recipe',
        visibility: 'private',
        files: [
          { file_path: 'soup.md', content: 'Carrots and Überraschung' },
          { file_path: 'cake.md', content: 'Sugar' },
        ],
      });
      const titles = (search: string) => found('snippet_titles', search, 'id');
      const blobs = (search: string) => found('snippet_blobs', search, 'id');
      assert.deepEqual(await titles('recipe'), [made.id]);
      assert.deepEqual(await titles('SOUP.md'), [made.id]);
      assert.deepEqual(await titles('carrots'), []);
      assert.deepEqual(await blobs('ÜBERRASCH'), [made.id]);
      assert.deepEqual(await blobs('sugar'), [made.id]);
      assert.deepEqual(await blobs('sugar carrots'), []);
      await bench.made('PUT', `/snippets/${made.id}`, {
        files: [{ action: 'update', file_path: 'cake.md', content: 'Honey' }],
      });
      assert.deepEqual(await blobs('sugar'), []);
      assert.deepEqual(await blobs('honey'), [made.id]);
      const { body, headers } = await bench.search('', { scope: 'snippet_blobs', search: 'honey' });
      assert.deepEqual([headers['x-total'], body[0].description], ['1', '']);
      await bench.made('DELETE', `/snippets/${made.id}`);
      assert.deepEqual(await blobs('honey'), []);
    });
  });
}
