import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { answered, IssueBench } from '../testing.ts';
import { dueCondition } from './due.ts';

for (const kind of dialects) {
  describe(`lists of issues on ${kind}`, () => {
    let bench: IssueBench;
    before(async () => {
      bench = await IssueBench.open(kind);
    });
    after(() => bench.close());

    const iids = async (path: string, query: Record<string, unknown> = {}, token?: string) =>
      (await bench.list(path, query, token)).map(({ iid }: { iid: number }) => iid);

    describe('of a project', () => {
      let project: ProjectWithNamespace;
      let at: string;
      const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
      before(async () => {
        project = await bench.project();
        at = `/projects/${project.id}/issues`;
        const milestone = (title: string, dates: Record<string, unknown>) =>
          bench.made(`/projects/${project.id}/milestones`, { title, ...dates });
        const started = await milestone('started', { start_date: day(-3), due_date: day(-1) });
        const upcoming = await milestone('upcoming', { start_date: day(3), due_date: day(9) });
        await bench.issue(project, { title: 'Apple 100%', labels: 'x,y', milestone_id: started.id });
        await bench.issue(
          project,
          { title: 'cherry', description: 'FINDME', milestone_id: upcoming.id, due_date: day(-2) },
          { token: bench.dev.token },
        );
        await bench.issue(project, { title: 'banana', labels: 'x', assignee_id: bench.dev.user.id });
        await bench.issue(project, { title: 'elder', issue_type: 'incident', due_date: day(0) });
        await bench.service.api('PUT', `${at}/4`, { body: { state_event: 'close' } });
        const award = { name: 'thumbsup' };
        await bench.service.api('POST', `${at}/3/award_emoji`, { body: award, token: bench.dev.token });
        await bench.service.api('PUT', `/projects/${project.id}/labels/y`, { body: { priority: 1 } });
        await bench.service.api('PUT', `/projects/${project.id}/labels/x`, { body: { priority: 2 } });
      });

      it('shows the newest first and narrows by each filter', async () => {
        const dev = bench.dev.user.id;
        const expected: [Record<string, unknown>, number[]][] = [
          [{}, [4, 3, 2, 1]],
          [{ state: 'opened' }, [3, 2, 1]],
          [{ state: 'closed' }, [4]],
          [{ iids: [1, 3] }, [3, 1]],
          [{ labels: 'x' }, [3, 1]],
          [{ labels: 'x,y' }, [1]],
          [{ labels: 'None' }, [4, 2]],
          [{ labels: 'any' }, [3, 1]],
          [{ milestone: 'upcoming' }, [2]],
          [{ milestone: 'started' }, [1]],
          [{ milestone: 'None' }, [4, 3]],
          [{ milestone: 'Any' }, [2, 1]],
          [{ milestone_id: 'Upcoming' }, [2]],
          [{ milestone: 'no such' }, []],
          [{ author_id: dev }, [2]],
          [{ author_username: 'DEV' }, [2]],
          [{ author_username: 'nobody' }, []],
          [{ assignee_id: dev }, [3]],
          [{ assignee_id: 'None' }, [4, 2, 1]],
          [{ assignee_id: 'any' }, [3]],
          [{ assignee_username: ['dev'] }, [3]],
          [{ scope: 'created_by_me' }, [4, 3, 1]],
          [{ scope: 'assigned_to_me' }, []],
          [{ search: 'findme' }, [2]],
          [{ search: 'findme', in: 'title' }, []],
          [{ search: '100%' }, [1]],
          [{ search: '_' }, []],
          [{ confidential: true }, []],
          [{ issue_type: 'incident' }, [4]],
          [{ due_date: 'overdue' }, [2]],
          [{ due_date: 'today' }, [4]],
          [{ due_date: '0' }, [3, 1]],
          [{ due_date: 'any' }, [4, 2]],
          [{ created_after: '2100-01-01' }, []],
          [{ updated_before: '2000-01-01' }, []],
          [{ not: { labels: 'x' } }, [4, 2]],
          [{ not: { labels: 'x', author_username: 'dev' } }, [4]],
          [{ not: { milestone: 'upcoming' } }, [4, 3, 1]],
          [{ not: { assignee_id: dev } }, [4, 2, 1]],
          [{ not: { author_id: dev, iids: [4] } }, [3, 1]],
          [{ not: { author_username: 'nobody' } }, [4, 3, 2, 1]],
          [{ sort: 'asc' }, [1, 2, 3, 4]],
          [{ order_by: 'due_date', sort: 'asc' }, [2, 4, 1, 3]],
          [{ order_by: 'due_date', sort: 'desc' }, [4, 2, 3, 1]],
          [{ order_by: 'milestone_due', sort: 'asc' }, [1, 2, 3, 4]],
          [{ order_by: 'relative_position', sort: 'asc' }, [1, 2, 3, 4]],
          [{ order_by: 'label_priority', sort: 'asc' }, [1, 3, 2, 4]],
          [{ order_by: 'priority', sort: 'asc' }, [1, 2, 3, 4]],
          [{ per_page: 3, page: 2 }, [1]],
        ];
        for (const [query, found] of expected) {
          assert.deepEqual(await iids(at, query), found, JSON.stringify(query));
        }
      });

      it('orders and narrows by what people think of them', async () => {
        assert.deepEqual((await iids(at, { order_by: 'popularity' }))[0], 3);
        const { token } = bench.dev;
        assert.deepEqual(await iids(at, { my_reaction_emoji: 'thumbsup' }, token), [3]);
        assert.deepEqual(await iids(at, { my_reaction_emoji: 'Any' }, token), [3]);
        assert.deepEqual(await iids(at, { my_reaction_emoji: 'None' }, token), [4, 2, 1]);
        assert.deepEqual(await iids(at, { my_reaction_emoji: 'thumbsup' }), []);
      });

      it('shows labels whole when asked to', async () => {
        const [issue] = await bench.list(at, { with_labels_details: true, iids: [3] });
        assert.deepEqual(
          issue.labels.map(({ name, color }: Record<string, string>) => [name, color]),
          [['x', '#6699cc']],
        );
      });

      it('goes on by position where pages are by position', async () => {
        const first = await bench.service.api('GET', at, {
          query: { pagination: 'keyset', per_page: 3, order_by: 'created_at' },
        });
        assert.deepEqual(
          first.body.map(({ iid }: { iid: number }) => iid),
          [4, 3, 2],
        );
        const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers['link'] ?? '') ?? [];
        const { search, pathname } = new URL(next ?? '');
        const rest = await bench.service.api('GET', pathname.replace('/api/v4', '') + search);
        assert.deepEqual(
          rest.body.map(({ iid }: { iid: number }) => iid),
          [1],
        );
        assert.equal(rest.headers['link'], undefined);
        const bad = await bench.service.api('GET', at, { query: { pagination: 'keyset', cursor: 'x' } });
        assert.deepEqual(answered(bad), [400, 'cursor is invalid']);
      });

      it('counts', async () => {
        const counts = async (query: Record<string, unknown>) =>
          (await bench.list(`/projects/${project.id}/issues_statistics`, query)).statistics.counts;
        assert.deepEqual(await counts({}), { all: 4, closed: 1, opened: 3 });
        assert.deepEqual(await counts({ labels: 'x' }), { all: 2, closed: 0, opened: 2 });
        assert.deepEqual(await counts({ author_username: 'nobody' }), { all: 0, closed: 0, opened: 0 });
      });

      it('refuses what will not do', async () => {
        const refused: Record<string, unknown>[] = [
          { state: 'merged' },
          { order_by: 'weight' },
          { assignee_id: 'x' },
          { milestone_id: 'v1' },
          { due_date: 'soon' },
          { author_id: 1, author_username: 'root' },
          { milestone: 'x', milestone_id: 'None' },
          { not: 'x' },
          { per_page: 0 },
        ];
        for (const query of refused) {
          assert.equal((await bench.service.api('GET', at, { query })).status, 400, JSON.stringify(query));
        }
      });
    });

    it('over all projects hold what the caller may read, confidential ones only for those concerned', async () => {
      const open = await bench.project('public');
      const closed = await bench.project('private');
      const secret = { confidential: true };
      await bench.issue(open, { title: 'ticket 1' });
      await bench.issue(open, { title: 'ticket 2', ...secret });
      await bench.issue(open, { title: 'ticket 3', ...secret }, { token: bench.stranger.token });
      await bench.issue(open, { title: 'ticket 4', ...secret, assignee_id: bench.guest.user.id });
      await bench.issue(closed, { title: 'ticket 5' });
      const all = { scope: 'all', search: 'ticket', sort: 'asc' };
      const titles = async (path: string, token?: string) =>
        (await bench.list(path, all, token)).map(({ title }: { title: string }) => title.at(-1)).join('');
      const { dev, reporter, guest, stranger } = bench;
      const seen: [string | undefined, string, string][] = [
        [undefined, '12345', '1234'],
        [dev.token, '12345', '1234'],
        [reporter.token, '12345', '1234'],
        [guest.token, '145', '14'],
        [stranger.token, '13', '13'],
      ];
      const at = `/projects/${open.id}/issues`;
      for (const [token, everywhere, inProject] of seen) {
        assert.equal(await titles('/issues', token), everywhere);
        assert.equal(await titles(at, token), inProject);
        for (const iid of [1, 2, 3, 4]) {
          const { status } = await bench.service.api('GET', `${at}/${iid}`, { ...(token && { token }) });
          assert.equal(status, inProject.includes(String(iid)) ? 200 : 404);
        }
        const { statistics } = await bench.list('/issues_statistics', all, token);
        assert.equal(statistics.counts.all, everywhere.length);
      }
      assert.deepEqual(await iids('/issues', { search: 'ticket' }, stranger.token), [3]);
      const { status } = await bench.service.api('PUT', `${at}/2`, {
        body: { title: 'x' },
        token: guest.token,
      });
      assert.equal(status, 404);
    });

    it('of a group go over the groups below, archived projects left out unless asked for', async () => {
      const { group, project } = await bench.group('wide');
      const below = await bench.group('narrow', 'private', group.id);
      await bench.issue(project, { title: 'above' });
      await bench.issue(below.project, { title: 'below' });
      await bench.service.api('POST', `/projects/${below.project.id}/archive`);
      const titles = async (query: Record<string, unknown>) =>
        (await bench.list(`/groups/${group.id}/issues`, { sort: 'asc', ...query })).map(
          ({ title }: { title: string }) => title,
        );
      assert.deepEqual(await titles({}), ['above']);
      assert.deepEqual(await titles({ non_archived: false }), ['above', 'below']);
      const [issue] = await bench.list(`/groups/${group.id}/issues`);
      assert.equal(issue.references.relative, issue.references.full);
      const counts = (await bench.list(`/groups/${group.id}/issues_statistics`)).statistics.counts;
      assert.deepEqual(counts, { all: 2, closed: 0, opened: 2 });
      const { status } = await bench.service.api('GET', `/groups/${group.id}/issues`, {
        token: bench.stranger.token,
      });
      assert.equal(status, 404);
    });
  });
}

describe('due dates', () => {
  it('are looked for by weeks and months seen from today', () => {
    const span = (due: Parameters<typeof dueCondition>[0], today: string) =>
      JSON.stringify(dueCondition(due, today).toOperationNode()).match(/\d{4}-\d\d-\d\d/g);
    assert.deepEqual(span('week', '2024-03-03'), ['2024-02-26', '2024-03-03']);
    assert.deepEqual(span('month', '2024-02-10'), ['2024-02-01', '2024-02-29']);
    assert.deepEqual(span('tomorrow', '2023-12-31'), ['2024-01-01', '2024-01-01']);
    assert.deepEqual(span('next_month_and_previous_two_weeks', '2023-12-10'), ['2023-11-26', '2024-01-31']);
  });
});
