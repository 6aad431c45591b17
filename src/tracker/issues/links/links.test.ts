import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { answered, IssueBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`links between issues on ${kind}`, () => {
    let bench: IssueBench;
    before(async () => {
      bench = await IssueBench.open(kind);
    });
    after(() => bench.close());

    it('are made, shown from both sides, and taken away', async () => {
      const { api } = bench.service;
      const [one, two] = [await bench.project(), await bench.project()];
      await bench.issue(one, { title: 'source' });
      await bench.issue(two, { title: 'target' });
      const at = `/projects/${one.id}/issues/1/links`;
      const link = await bench.made(at, { target_project_id: two.id, target_issue_iid: 1 });
      assert.deepEqual(
        [link.source_issue.title, link.target_issue.title, link.link_type],
        ['source', 'target', 'relates_to'],
      );
      const [there] = await bench.list(at);
      assert.deepEqual(
        [there.title, there.issue_link_id, there.link_type, there.references.relative],
        ['target', link.id, 'relates_to', `${two.full_path}#1`],
      );
      const back = `/projects/${two.id}/issues/1/links`;
      assert.equal((await bench.list(back))[0].title, 'source');
      assert.deepEqual(await bench.list(`${back}/${link.id}`), link);
      const again = { target_project_id: one.full_path, target_issue_iid: 1 };
      assert.deepEqual(answered(await api('POST', back, { body: again })), [
        409,
        'Issue(s) already assigned',
      ]);
      assert.deepEqual((await api('DELETE', `${at}/${link.id}`)).body, link);
      assert.deepEqual(await bench.list(at), []);
      assert.equal((await api('DELETE', `${at}/${link.id}`)).status, 404);
    });

    it('are refused and hidden where the other issue is not for the caller', async () => {
      const { api } = bench.service;
      const project = await bench.project('public');
      await bench.issue(project);
      await bench.issue(project, { confidential: true });
      const at = `/projects/${project.id}/issues/1/links`;
      const post = async (body: Record<string, unknown>, token?: string) => {
        const target = { target_project_id: project.id, target_issue_iid: 2, ...body };
        return answered(await api('POST', at, { body: target, ...(token && { token }) }));
      };
      assert.deepEqual(await post({}, bench.guest.token), [404, '404 Not found']);
      assert.deepEqual(await post({}, bench.stranger.token), [403, '403 Forbidden']);
      assert.deepEqual(await post({ target_issue_iid: 9 }), [404, '404 Not found']);
      assert.deepEqual(await post({ target_project_id: 'x/y' }), [404, '404 Project Not Found']);
      assert.deepEqual(await post({ target_issue_iid: 1 }), [409, 'Issue(s) already assigned']);
      assert.equal((await post({ link_type: 'blocks' }))[0], 403);
      const link = await bench.made(at, { target_project_id: project.id, target_issue_iid: 2 });
      const { token } = bench.guest;
      assert.deepEqual(await bench.list(at, {}, token), []);
      assert.equal((await api('GET', `${at}/${link.id}`, { token })).status, 404);
    });

    it('are made once, also when many ask at once', async () => {
      const project = await bench.project();
      await bench.issue(project);
      await bench.issue(project);
      const link = (from: number, to: number) =>
        bench.service.api('POST', `/projects/${project.id}/issues/${from}/links`, {
          body: { target_project_id: project.id, target_issue_iid: to },
        });
      const all = await Promise.all([link(1, 2), link(2, 1), link(1, 2), link(2, 1)]);
      assert.deepEqual(all.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    });
  });
}
