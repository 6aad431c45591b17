import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { answered, IssueBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`moving issues on ${kind}`, () => {
    let bench: IssueBench;
    before(async () => {
      bench = await IssueBench.open(kind);
    });
    after(() => bench.close());

    const bodies = async (project: { id: number }, iid: number) =>
      (await bench.list(`/projects/${project.id}/issues/${iid}/notes`, { sort: 'asc' })).map(
        ({ body }: { body: string }) => body,
      );

    describe('to another project', () => {
      it('goes on there with all that was written, and closes the old one', async () => {
        const { api } = bench.service;
        const from = await bench.project();
        const to = await bench.project();
        for (const { id } of [from, to]) {
          await bench.made(`/projects/${id}/milestones`, { title: 'v1' });
          await bench.made(`/projects/${id}/labels`, { name: 'known', color: '#fff' });
        }
        const [{ id: milestone_id }] = await bench.list(`/projects/${from.id}/milestones`);
        const old = await bench.issue(
          from,
          {
            title: 'Move me',
            description: 'text',
            labels: 'known,foreign',
            milestone_id,
            due_date: '2030-01-01',
          },
          { token: bench.guest.token },
        );
        const at = `/projects/${from.id}/issues/1`;
        await api('PUT', at, { body: { assignee_id: bench.dev.user.id } });
        const thread = await bench.made(`${at}/discussions`, { body: 'first' });
        await bench.made(`${at}/discussions/${thread.id}/notes`, { body: 'second' });
        await bench.made(`${at}/award_emoji`, { name: 'thumbsup' });
        await bench.made(`${at}/add_spent_time`, { duration: '1h' });

        const moved = await bench.made(
          `${at}/move`,
          { to_project_id: to.id },
          { token: bench.reporter.token },
        );
        assert.deepEqual(
          [moved.project_id, moved.iid, moved.title, moved.description, moved.state, moved.due_date],
          [to.id, 1, 'Move me', 'text', 'opened', '2030-01-01'],
        );
        assert.deepEqual([moved.author.username, moved.created_at], ['guest', old.created_at]);
        assert.deepEqual([moved.labels, moved.milestone.project_id], [['known'], to.id]);
        assert.deepEqual([moved.assignee.username, moved.upvotes], ['dev', 1]);
        assert.equal(moved.time_stats.total_time_spent, 3600);
        const before = await bench.list(at);
        assert.deepEqual(
          [before.state, before.moved_to_id, before.closed_by.username],
          ['closed', moved.id, 'reporter'],
        );
        const left = await bodies(from, 1);
        assert.equal(left.at(-1), `moved to ${to.full_path}#1`);
        assert.deepEqual(await bodies(to, 1), [...left.slice(0, -1), `moved from ${from.full_path}#1`]);
        const threads = await bench.list(`/projects/${to.id}/issues/1/discussions`);
        const [copied] = threads.filter(({ notes }: { notes: unknown[] }) => notes.length === 2);
        assert.notEqual(copied.id, thread.id);
        assert.deepEqual(answered(await api('POST', `${at}/move`, { body: { to_project_id: to.id } })), [
          400,
          'Cannot move issue due to insufficient permissions!',
        ]);
      });

      it('is for reporters of both', async () => {
        const from = await bench.project();
        const foreign = await bench.made('/projects', { name: 'foreign', visibility: 'public' });
        const hidden = await bench.made('/projects', { name: 'hidden' });
        await bench.issue(from);
        const move = async (to_project_id: unknown, token: string, deed = 'move') => {
          const path = `/projects/${from.id}/issues/1/${deed}`;
          return answered(await bench.service.api('POST', path, { body: { to_project_id }, token }));
        };
        const { token } = bench.dev;
        const refused = (deed: string) => [400, `Cannot ${deed} issue due to insufficient permissions!`];
        assert.deepEqual(await move(foreign.id, token), refused('move'));
        assert.deepEqual(await move(foreign.id, token, 'clone'), refused('clone'));
        assert.deepEqual(await move(from.id, bench.guest.token, 'clone'), refused('clone'));
        assert.deepEqual(await move(hidden.id, token), [404, '404 Project Not Found']);
        assert.deepEqual(await move(999_999, token), [404, '404 Project Not Found']);
        assert.deepEqual(await move(from.id, token), [
          400,
          'Cannot move issue to project it originates from!',
        ]);
        assert.deepEqual(await move('x', token), [400, 'to_project_id is invalid']);
      });

      it('happens once, also when asked twice at once', async () => {
        const from = await bench.project();
        const to = await bench.project();
        await bench.issue(from);
        const path = `/projects/${from.id}/issues/1/move`;
        const body = { to_project_id: to.id };
        const all = await Promise.all([1, 2, 3].map(() => bench.service.api('POST', path, { body })));
        assert.deepEqual(all.map(({ status }) => status).sort(), [201, 400, 400]);
        assert.equal((await bench.list(`/projects/${to.id}/issues`)).length, 1);
      });
    });

    it('copies, with or without its notes', async () => {
      const project = await bench.project();
      await bench.made(`/projects/${project.id}/labels`, { name: 'wool', color: '#fff' });
      await bench.issue(project, { title: 'Sheep', labels: 'wool' }, { token: bench.guest.token });
      const at = `/projects/${project.id}/issues/1`;
      await bench.made(`${at}/notes`, { body: 'baa' });
      const clone = (body: Record<string, unknown>) =>
        bench.made(`${at}/clone`, { to_project_id: project.id, ...body });
      const plain = await clone({});
      assert.deepEqual([plain.iid, plain.title, plain.labels], [2, 'Sheep', ['wool']]);
      assert.notEqual(plain.author.username, 'guest');
      assert.deepEqual(await bodies(project, 2), [`cloned from ${project.full_path}#1`]);
      await clone({ with_notes: true });
      assert.equal((await bodies(project, 3))[0], 'baa');
      assert.equal((await bench.list(at)).state, 'opened');
    });

    it('within the project follows the neighbours, however often', async () => {
      const { api } = bench.service;
      const project = await bench.project();
      const ids: number[] = [];
      for (let count = 0; count < 4; count++) ids.push((await bench.issue(project)).id);
      const reorder = async (iid: number, body: Record<string, unknown>) => {
        const reply = await api('PUT', `/projects/${project.id}/issues/${iid}/reorder`, { body });
        assert.equal(reply.status, 200, reply.text);
      };
      const order = async () =>
        (await bench.list(`/projects/${project.id}/issues`, { order_by: 'relative_position', sort: 'asc' }))
          .map(({ iid }: { iid: number }) => iid)
          .join('');
      await reorder(4, { move_after_id: ids[0] });
      assert.equal(await order(), '4123');
      await reorder(4, { move_before_id: ids[2] });
      assert.equal(await order(), '1234');
      await reorder(1, { move_before_id: ids[1], move_after_id: ids[2] });
      assert.equal(await order(), '2134');
      // each halves the room between its neighbours: it is used up on the way
      for (let round = 0; round < 8; round++) {
        await reorder(4, { move_before_id: ids[1], move_after_id: ids[0] });
        await reorder(3, { move_before_id: ids[1], move_after_id: ids[3] });
        assert.equal(await order(), '2341');
        await reorder(4, { move_before_id: ids[1], move_after_id: ids[2] });
        assert.equal(await order(), '2431');
      }
      const other = await bench.issue(await bench.project());
      const path = `/projects/${project.id}/issues/1/reorder`;
      assert.equal((await api('PUT', path, { body: { move_after_id: other.id } })).status, 404);
      assert.equal((await api('PUT', path, { body: {} })).status, 400);
      const { token } = bench.guest;
      assert.equal((await api('PUT', path, { body: { move_after_id: ids[1] }, token })).status, 403);
    });
  });
}
