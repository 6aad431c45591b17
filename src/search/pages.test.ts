import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { seedCommit } from '../../test/support/seed.ts';
import { findProject } from '../core/projects/find.ts';
import { SearchBench } from './testing.ts';

/** Enough for two steps of a walk, of which the first finds little. */
const MANY = 70;

for (const kind of dialects) {
  describe(`pages of results on ${kind}`, () => {
    let bench: SearchBench;
    const place = 'projects/g%2Ffinch-1';

    before(async () => {
      bench = await SearchBench.open(kind);
      const { core } = bench.service;
      const group = await bench.made('POST', '/groups', { name: 'g', path: 'g' });
      for (const number of [1, 2, 3]) {
        await bench.made('POST', '/projects', { name: `finch-${number}`, namespace_id: group.id });
        const name = `finch${number}`;
        await bench.made('POST', '/users', {
          ...{
            username: name,
            name,
            email: `${name}@mail.test`,
            password: 'long-enough-1',
            skip_confirmation: true,
          },
        });
      }
      const { project } = (await findProject(core.db, 'g/finch-1'))!;
      for (const number of [1, 2, 3]) {
        const files = { [`finch-${number}.md`]: `Finch ${number}\n` };
        await seedCommit(core, project, { branch: 'main', files, message: `Finch ${number}\n` });
        await seedCommit(core, project, {
          branch: `b${number}`,
          from: 'main',
          files: { [`x${number}`]: 'x\n' },
        });
        await bench.made('POST', `/${place}/merge_requests`, {
          ...{ title: `Finch ${number}`, source_branch: `b${number}`, target_branch: 'main' },
        });
        const issue = await bench.made('POST', `/${place}/issues`, { title: `Finch ${number}` });
        await bench.made('POST', `/${place}/issues/${issue.iid}/notes`, { body: `Finch ${number}` });
        await bench.made('POST', `/${place}/milestones`, { title: `Finch ${number}` });
        const [, user] = (
          await bench.service.api('GET', '/users', { query: { order_by: 'id', sort: 'asc' } })
        ).body;
        await bench.made('POST', `/${place}/members`, { user_id: user.id + number - 1, access_level: 20 });
        await bench.made('POST', '/snippets', {
          ...{ title: `Finch ${number}`, files: [{ file_path: 'f.txt', content: `Finch ${number}` }] },
        });
      }
      await bench.service.service.codeSearch.idle();
    });
    after(() => bench.close());

    const everywhere = ['issues', 'merge_requests', 'milestones', 'users', 'blobs', 'commits'];
    const lists: [place: string, scopes: string[]][] = [
      ['', ['projects', 'snippet_titles', 'snippet_blobs', ...everywhere]],
      ['groups/g', ['projects', ...everywhere.filter((scope) => scope !== 'users')]],
      [place, [...everywhere, 'notes']],
    ];
    for (const [where, scopes] of lists) {
      for (const scope of scopes) {
        it(`leads one by one through ${scope} in ${where || 'everything'}`, async () => {
          const field = scope === 'blobs' ? 'data' : 'id';
          const whole = (await bench.found(where, { scope, search: 'finch' }, field)) as unknown[];
          assert.ok(whole.length >= 3 && new Set(whole).size >= 3, JSON.stringify(whole));
          assert.deepEqual(await bench.pages(where, { scope, search: 'finch' }, field), whole);
        });
      }
    }

    const counted = new Map([
      ['', ['snippet_titles', 'snippet_blobs']],
      ['groups/g', []],
      [place, ['users', 'notes', 'commits', 'blobs']],
    ]);
    it('tells totals where GitLab does', async () => {
      for (const [where, scopes] of lists) {
        for (const scope of scopes) {
          const { headers } = await bench.search(where, { scope, search: 'finch', per_page: 2 });
          const has = headers['x-total'] !== undefined && headers['x-total-pages'] !== undefined;
          assert.equal(has, counted.get(where)!.includes(scope), `${scope} in ${where}`);
          for (const name of ['x-page', 'x-per-page', 'x-prev-page', 'x-next-page', 'link']) {
            assert.ok(name in headers, `${scope} in ${where}: ${name}`);
          }
          assert.equal(/rel="last"/.test(headers['link'] ?? ''), has);
        }
      }
    });

    it('answers nothing behind the end', async () => {
      for (const [where, scopes] of lists) {
        for (const scope of scopes) {
          for (const page of [1000, 2 ** 31, 10 ** 15]) {
            const { status, body, headers } = await bench.search(where, { scope, search: 'finch', page });
            assert.deepEqual([status, body, headers['x-next-page']], [200, [], ''], `${scope} in ${where}`);
          }
        }
      }
    });

    it('goes on from a position where a list has an order of its own', async () => {
      const byPosition = { search: 'finch', pagination: 'keyset' };
      for (const [where, scopes] of lists) {
        for (const scope of scopes) {
          const numbered = ['users', 'blobs'].includes(scope) || (scope === 'commits' && where === place);
          if (numbered) {
            const { status, body } = await bench.search(where, { ...byPosition, scope });
            assert.equal(status, 405);
            assert.match(body.error, /^Keyset pagination is not yet available/);
            continue;
          }
          const whole = await bench.found(where, { scope, search: 'finch' }, 'id');
          assert.deepEqual(await bench.pages(where, { ...byPosition, scope }, 'id'), whole, scope);
          const { headers } = await bench.search(where, { ...byPosition, scope, per_page: 1 });
          assert.equal(headers['x-page'], undefined);
        }
      }
      const up = { ...byPosition, scope: 'issues', order_by: 'created_at', sort: 'asc' };
      const down = (await bench.pages('', { ...byPosition, scope: 'issues' }, 'id')).reverse();
      assert.deepEqual(await bench.pages('', up, 'id'), down);
    });

    it('fills its pages from what is rare among the newest', async () => {
      const { project } = (await findProject(bench.service.core.db, 'g/finch-2'))!;
      const issue = (title: string) => bench.made('POST', `/projects/${project.id}/issues`, { title });
      for (const number of [1, 2, 3, 4]) await issue(`Kiwi ${number}`);
      await issue('XY');
      for (let number = 0; number < MANY; number++) await issue(`Emu ${number}`);
      const kiwi = ['Kiwi 4', 'Kiwi 3', 'Kiwi 2', 'Kiwi 1'];
      for (const where of ['', 'groups/g', `projects/${project.id}`]) {
        assert.deepEqual(await bench.found(where, { scope: 'issues', search: 'kiwi' }, 'title'), kiwi);
        assert.deepEqual(await bench.pages(where, { scope: 'issues', search: 'kiwi' }, 'title'), kiwi);
      }
      assert.deepEqual(await bench.found('', { scope: 'issues', search: 'xy' }, 'title'), ['XY']);
      const asc = { scope: 'issues', search: 'kiwi', order_by: 'created_at', sort: 'asc' };
      assert.deepEqual(await bench.found('', asc, 'title'), kiwi.toReversed());
      const emus = await bench.found('', { scope: 'issues', search: 'emu', page: 2, per_page: 50 }, 'title');
      assert.deepEqual(
        emus,
        Array.from({ length: 20 }, (_, at) => `Emu ${19 - at}`),
      );
    });
  });
}
