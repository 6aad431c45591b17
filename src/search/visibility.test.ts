import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { type Person, seedCommit } from '../../test/support/seed.ts';
import { Level } from '../core/access/levels.ts';
import { findProject } from '../core/projects/find.ts';
import { SearchBench } from './testing.ts';

type Who = 'root' | 'reporter' | 'guest' | 'stranger' | 'external';

for (const kind of dialects) {
  describe(`who finds what on ${kind}`, () => {
    let bench: SearchBench;
    let people: Record<Exclude<Who, 'root'>, Person>;

    before(async () => {
      bench = await SearchBench.open(kind);
      people = {
        reporter: await bench.person('reporter'),
        guest: await bench.person('guest'),
        stranger: await bench.person('stranger'),
        external: await bench.person('external'),
      };
      await bench.made('PUT', `/users/${people.external.user.id}`, { external: true });
      const top = await bench.made('POST', '/groups', { name: 'top', path: 'top', visibility: 'public' });
      const below = await bench.made('POST', '/groups', {
        name: 'sub',
        path: 'sub',
        parent_id: top.id,
        visibility: 'public',
      });
      await bench.admit('groups/top', people.reporter, Level.reporter);
      await bench.admit('groups/top', people.guest, Level.guest);
      for (const visibility of ['private', 'internal', 'public']) {
        await bench.made('POST', '/projects', {
          name: `${visibility}-walrus`,
          namespace_id: below.id,
          visibility,
        });
      }
    });
    after(() => bench.close());

    const path = (name: string) => `projects/${encodeURIComponent(`top/sub/${name}-walrus`)}`;
    const everybody: Who[] = ['root', 'reporter', 'guest', 'stranger', 'external'];

    async function finds(
      query: Record<string, unknown>,
      field: string,
      where = '',
    ): Promise<Record<Who, unknown>> {
      const found = await Promise.all(
        everybody.map(async (who) => [
          who,
          await bench.found(where, query, field, who === 'root' ? undefined : people[who]),
        ]),
      );
      return Object.fromEntries(found);
    }

    it('shows projects by their visibility, in groups and everywhere', async () => {
      const all = ['public-walrus', 'internal-walrus', 'private-walrus'];
      const expected = {
        root: all,
        reporter: all,
        guest: all,
        stranger: all.slice(0, 2),
        external: all.slice(0, 1),
      };
      for (const where of ['', 'groups/top', 'groups/top%2Fsub']) {
        assert.deepEqual(await finds({ scope: 'projects', search: 'walrus' }, 'path', where), expected);
      }
    });

    it('keeps confidential issues for those whom they concern', async () => {
      const issue = (place: string, title: string, more = {}, by?: Person) =>
        bench.made('POST', `/${place}/issues`, { title, ...more }, by ? { token: by.token } : {});
      await issue(path('private'), 'Heron private');
      await issue(path('public'), 'Heron open');
      const secret = { confidential: true };
      await issue(path('public'), 'Heron secret', secret);
      await issue(path('public'), 'Heron of guest', { ...secret, assignee_ids: [people.guest.user.id] });
      await issue(path('public'), 'Heron by stranger', secret, people.stranger);
      const heron = { scope: 'issues', search: 'heron' };
      const all = ['Heron by stranger', 'Heron of guest', 'Heron secret', 'Heron open', 'Heron private'];
      const expected = {
        root: all,
        reporter: all,
        guest: ['Heron of guest', 'Heron open', 'Heron private'],
        stranger: ['Heron by stranger', 'Heron open'],
        external: ['Heron open'],
      };
      for (const where of ['', 'groups/top']) assert.deepEqual(await finds(heron, 'title', where), expected);
      const open = await finds({ ...heron, per_page: 1 }, 'title', path('public'));
      assert.deepEqual(open['external'], ['Heron open']);
      assert.deepEqual(open['guest'], ['Heron of guest']);
      const confidential = await finds({ ...heron, confidential: true }, 'title');
      assert.deepEqual([confidential['guest'], confidential['external']], [['Heron of guest'], []]);
    });

    it('follows the switches of a project', async () => {
      const { id } = await bench.made('POST', '/projects', { name: 'egret', visibility: 'public' });
      const place = `projects/${id}`;
      await bench.admit(place, people.guest, Level.guest);
      await bench.made('POST', `/${place}/issues`, { title: 'Egret issue' });
      await bench.made('POST', `/${place}/milestones`, { title: 'Egret milestone' });
      const { project } = (await findProject(bench.service.core.db, String(id)))!;
      await seedCommit(bench.service.core, project, {
        branch: 'main',
        files: { a: 'egret\n' },
        message: 'Egret\n',
      });
      const counts = async (scope: string, where: string) => {
        const found = await finds({ scope, search: 'egret' }, 'project_id', where);
        return everybody.map((who) => (found[who] as unknown[]).length).join('');
      };
      const set = (settings: object) => bench.made('PUT', `/${place}`, settings);
      assert.equal(await counts('issues', ''), '11111');
      await set({ issues_access_level: 'private' });
      for (const where of ['', place]) assert.equal(await counts('issues', where), '10100');
      assert.equal(await counts('milestones', place), '11111');
      await set({ merge_requests_access_level: 'private' });
      for (const where of ['', place]) assert.equal(await counts('milestones', where), '10100');
      await set({ issues_access_level: 'disabled' });
      for (const where of ['', place]) assert.equal(await counts('issues', where), '00000');
      // Guests are members, so that "members only" is no bar to them.
      await set({ repository_access_level: 'private' });
      for (const scope of ['commits', 'blobs']) {
        for (const where of ['', place]) assert.equal(await counts(scope, where), '10100', scope);
      }
      await set({ repository_access_level: 'disabled', merge_requests_access_level: 'disabled' });
      for (const scope of ['commits', 'blobs', 'merge_requests'])
        for (const where of ['', place]) assert.equal(await counts(scope, where), '00000', scope);
      const { headers, body } = await bench.search(place, { scope: 'commits', search: 'egret' });
      assert.deepEqual([body, headers['x-page'], headers['x-total']], [[], undefined, undefined]);
    });

    it('leaves archived projects out, unless asked or in the project itself', async () => {
      const { id } = await bench.made('POST', '/projects', { name: 'osprey', visibility: 'public' });
      const place = `projects/${id}`;
      await bench.made('POST', `/${place}/issues`, { title: 'Osprey issue' });
      await bench.made('POST', `/${place}/milestones`, { title: 'Osprey milestone' });
      await bench.made('POST', `/${place}/archive`);
      for (const scope of ['projects', 'issues', 'milestones']) {
        const query = { scope, search: 'osprey' };
        assert.deepEqual(await bench.found('', query, 'id'), [], scope);
        const all = (await bench.found('', { ...query, include_archived: true }, 'id')) as number[];
        assert.equal(all.length, 1, scope);
        if (scope !== 'projects') assert.deepEqual(await bench.found(place, query, 'id'), all);
      }
    });

    it('shows notes on what one may read, internal ones to those who work there', async () => {
      const place = path('public');
      const open = await bench.made('POST', `/${place}/issues`, { title: 'Ibis' });
      const secret = await bench.made('POST', `/${place}/issues`, { title: 'Ibis', confidential: true });
      await bench.made('POST', `/${place}/issues/${open.iid}/notes`, { body: 'ibis open' });
      await bench.made('POST', `/${place}/issues/${open.iid}/notes`, {
        body: 'ibis internal',
        internal: true,
      });
      await bench.made('POST', `/${place}/issues/${secret.iid}/notes`, { body: 'ibis secret' });
      const snippet = await bench.made('POST', `/${place}/snippets`, {
        ...{ title: 'Ibis', visibility: 'private', files: [{ file_path: 'a.txt', content: 'x' }] },
      });
      await bench.made('POST', `/${place}/snippets/${snippet.id}/notes`, { body: 'ibis snippet' });
      const all = ['ibis snippet', 'ibis secret', 'ibis internal', 'ibis open'];
      assert.deepEqual(await finds({ scope: 'notes', search: 'ibis' }, 'body', place), {
        root: all,
        reporter: all,
        guest: ['ibis snippet', 'ibis open'],
        stranger: ['ibis open'],
        external: ['ibis open'],
      });
    });

    it('shows snippets by their own visibility and that of their project', async () => {
      const files = [{ file_path: 'stork.txt', content: 'stork' }];
      const made = (title: string, visibility: string, place = '', by?: Person) =>
        bench.made('POST', `${place}/snippets`, { title, visibility, files }, by ? { token: by.token } : {});
      await made('stork public', 'public');
      await made('stork internal', 'internal');
      await made('stork own', 'private', '', people.stranger);
      await made('stork hidden', 'public', `/${path('private')}`);
      await made('stork of members', 'private', `/${path('public')}`);
      const all = ['stork of members', 'stork hidden', 'stork own', 'stork internal', 'stork public'];
      const members = all.filter((title) => title !== 'stork own');
      for (const scope of ['snippet_titles', 'snippet_blobs']) {
        assert.deepEqual(await finds({ scope, search: 'stork' }, 'title'), {
          root: all,
          reporter: members,
          guest: members,
          stranger: ['stork own', 'stork internal', 'stork public'],
          external: ['stork public'],
        });
      }
    });

    it('hides blocked people, and whole groups from those who may not see them', async () => {
      const blocked = await bench.person('blocked');
      await bench.made('POST', `/users/${blocked.user.id}/block`);
      const found = await finds({ scope: 'users', search: 'blocked' }, 'username');
      assert.deepEqual([found['root'], found['stranger']], [['blocked'], []]);
      const hidden = await bench.made('POST', '/groups', {
        name: 'hidden',
        path: 'hidden',
        parent_id: (await bench.made('GET', '/groups/top')).id,
        visibility: 'private',
      });
      await bench.admit(`groups/${hidden.id}`, people.external, Level.owner);
      const members = await finds({ scope: 'users', search: 'external' }, 'username', 'groups/top');
      assert.deepEqual([members['root'], members['stranger']], [['external'], []]);
    });
  });
}
