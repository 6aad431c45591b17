import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { startService, type TestService } from '../../test/support/service.ts';

for (const kind of dialects) {
  describe(`lists with very long searches on ${kind}`, () => {
    let bench: TestService;
    let project: string;
    const longest = 'a%'.repeat(2048);

    before(async () => {
      bench = await startService({ kind });
      const made = async (path: string, body: Record<string, unknown>) => {
        const { status, body: answer } = await bench.api('POST', path, { body });
        assert.equal(status, 201);
        return answer;
      };
      const group = await made('/groups', { name: 'g', path: 'g' });
      project = `/projects/${(await made('/projects', { name: 'p', namespace_id: group.id })).id}`;
      await made(`${project}/issues`, { title: 'Long', description: longest.toUpperCase() });
      await made(`${project}/labels`, { name: 'long', color: '#000000' });
      await made(`${project}/milestones`, { title: 'long' });
    });
    after(() => bench.close());

    const ask = (path: string, query: Record<string, string>) => {
      const url = new URL(path.replace(/^p\//, `${project}/`), 'http://localhost');
      return bench.api('GET', url.pathname, { query: { ...Object.fromEntries(url.searchParams), ...query } });
    };

    const texts = [
      'a'.repeat(100_000),
      '%'.repeat(49_999),
      Array.from({ length: 15_000 }, (_, at) => `w${at}`).join(' '),
    ];
    for (const path of [
      ...['p/issues', 'p/labels', 'p/milestones', 'p/members', 'p/users', '/issues?scope=all'],
      ...['/groups/g/labels', '/groups/g/milestones', '/groups/g/projects', '/groups/g/issues'],
      ...['/projects', '/projects?order_by=similarity', '/groups', '/groups?order_by=similarity'],
      ...['/users', '/topics', '/namespaces', '/personal_access_tokens'],
    ]) {
      it(`finds nothing in ${path}`, async () => {
        for (const search of texts) {
          const found = await ask(path, { search, query: search });
          assert.deepEqual([found.status, found.body], [200, []]);
        }
      });
    }

    it('refuses them where merge requests are listed', async () => {
      for (const path of ['p/merge_requests', '/merge_requests?scope=all'])
        for (const search of texts) assert.equal((await ask(path, { search })).status, 400);
    });

    it('still finds what is long within its bounds', async () => {
      const query = { search: longest };
      const { body } = await bench.api('GET', `${project}/issues`, { query });
      assert.deepEqual(
        body.map(({ title }: { title: string }) => title),
        ['Long'],
      );
    });
  });
}
