import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { notificationSource as pipelineSource } from '../../src/jobs/notification-source.ts';
import { announcementOf } from '../../src/notifications/happenings/announcement.ts';
import type { Happening } from '../../src/notifications/happenings/happening.ts';
import { type IssueEvent, issueHappenings } from '../../src/notifications/happenings/issues.ts';
import {
  type MergeRequestEvent,
  mergeRequestHappenings,
} from '../../src/notifications/happenings/merge-requests.ts';
import { noteHappenings } from '../../src/notifications/happenings/notes.ts';
import { endedPipeline, pipelineHappening } from '../../src/notifications/happenings/pipelines.ts';
import { headerReason } from '../../src/notifications/notice.ts';
import { notificationSource } from '../../src/tracker/notification-sources/sources.ts';
import { dialects } from '../support/databases.ts';
import { startService, type TestService } from '../support/service.ts';
import { makePeople, type Person } from './people.ts';
import { expected, PIPELINE_RULES, type Relation, RULES, type TableKind } from './rules.ts';

const EVENT = { id: 1, stream: 'project:1', createdAt: 1_700_000_000_000, attempt: 1 };

for (const kind of dialects) {
  describe(`who is told, on ${kind}`, () => {
    let service: TestService;
    let people: Person[];
    let projectId: number;
    let issueId: number;
    let mergeRequestId: number;

    before(async () => {
      service = await startService({ kind });
      const { api, core } = service;
      const group = (await api('POST', '/groups', { body: { name: 'team', path: 'team' } })).body;
      const body = { name: 'code', namespace_id: group.id, initialize_with_readme: true };
      projectId = (await api('POST', '/projects', { body })).body.id;
      people = await makePeople(core, { groupId: group.id, projectId });
      const description = `for ${named('named in the description').join(' ')}`;
      const issue = { title: 'An issue', description };
      issueId = (await api('POST', `/projects/${projectId}/issues`, { body: issue })).body.id;
      // the API takes one, as GitLab's free edition; rows may have more
      const assigned = ids('assignee').map((user_id) => ({ issue_id: issueId, user_id }));
      await core.db.insertInto('issue_assignees').values(assigned).execute();
      await api('POST', `/projects/${projectId}/repository/branches`, {
        body: { branch: 'work', ref: 'main' },
      });
      const request = {
        source_branch: 'work',
        target_branch: 'main',
        title: 'A request',
        description,
        assignee_ids: ids('assignee'),
        reviewer_ids: ids('reviewer'),
      };
      const opened = await api('POST', `/projects/${projectId}/merge_requests`, { body: request });
      assert.equal(opened.status, 201);
      mergeRequestId = opened.body.id;
      await core.db
        .updateTable('projects')
        .set({ visibility: 'private' })
        .where('id', '=', projectId)
        .execute();
      for (const type of ['Issue', 'MergeRequest'] as const) {
        await comment(
          type,
          people.filter(({ relation }) => relation.includes('commented before')),
        );
        await subscribe(type);
      }
      await core.events.idle();
    });
    after(() => service?.close());

    const having = (relation: Relation) => people.filter((person) => person.relation === relation);
    const ids = (relation: Relation) => having(relation).map(({ id }) => id);
    const named = (relation: Relation) => having(relation).map(({ username }) => `@${username}`);

    async function comment(type: 'Issue' | 'MergeRequest', by: readonly Person[], body = 'I see.') {
      const noteable = type === 'Issue' ? issueId : mergeRequestId;
      const rows = by.map(({ id }, index) => ({
        project_id: projectId,
        noteable_type: type,
        noteable_id: noteable,
        noteable_iid: 1,
        commit_id: null,
        author_id: id,
        type: null,
        discussion_id: `${index}`.padStart(40, '0'),
        body,
        position: null,
        resolved_at: null,
        resolved_by_id: null,
        created_at: 1,
        updated_at: 1,
      }));
      return service.core.db.insertInto('notes').values(rows).returning('id').execute();
    }

    async function subscribe(type: 'Issue' | 'MergeRequest') {
      const column = type === 'Issue' ? 'issue_id' : 'merge_request_id';
      const nothing = { issue_id: null, merge_request_id: null, snippet_id: null, label_id: null };
      const rows = people.flatMap(({ id, relation }) => {
        const subscribed = relation === 'subscriber' ? 1 : relation.endsWith('unsubscribed') ? 0 : null;
        if (subscribed === null) return [];
        const thing = { ...nothing, [column]: type === 'Issue' ? issueId : mergeRequestId };
        return [{ ...thing, project_id: null, user_id: id, subscribed, updated_at: 1 }];
      });
      await service.core.db.insertInto('subscriptions').values(rows).execute();
    }

    async function happen(of: TableKind, actor: Person): Promise<Happening[]> {
      const deps = { db: service.core.db, tracker: notificationSource(service.core) };
      const payload = { projectId, iid: 1, userId: actor.id };
      const issue = (event: object) =>
        issueHappenings(deps, { ...EVENT, payload: { ...payload, issueId }, ...event } as IssueEvent);
      const request = (type: string, more: object = {}) =>
        mergeRequestHappenings(deps, {
          ...EVENT,
          type,
          payload: { ...payload, mergeRequestId, changes: [], automatic: false, ...more },
        } as MergeRequestEvent);
      const assignees = { added: ids('assignee'), removed: ids('former assignee') };
      switch (of) {
        case 'new_issue':
          return issue({ type: 'issue.opened' });
        case 'close_issue':
          return issue({ type: 'issue.closed' });
        case 'reopen_issue':
          return issue({ type: 'issue.reopened' });
        case 'issue_due':
          return issue({ type: 'issue.due' });
        case 'reassign_issue':
          return issue({ type: 'issue.updated', payload: { ...payload, issueId, changes: [], assignees } });
        case 'new_merge_request':
          return request('merge_request.opened');
        case 'close_merge_request':
          return request('merge_request.closed');
        case 'reopen_merge_request':
          return request('merge_request.reopened');
        case 'merge_merge_request':
          return request('merge_request.merged');
        case 'push_to_merge_request':
          return request('merge_request.updated', { pushed: { commits: [], count: 1 } });
        case 'reassign_merge_request':
          return request('merge_request.updated', { assignees });
        case 'change_reviewer_merge_request':
          return request('merge_request.updated', {
            reviewers: { added: ids('reviewer'), removed: ids('former reviewer') },
          });
        case 'new_note':
          return noteOf(actor, deps);
      }
    }

    async function noteOf(actor: Person, deps: Parameters<typeof noteHappenings>[0]) {
      const called = [...named('named in the new note'), ...named('named in the new note, unsubscribed')];
      const [note] = await comment('Issue', [actor], `look, ${called.join(', ')}`);
      const payload = { noteId: note!.id };
      const found = await noteHappenings(deps, { ...EVENT, type: 'note.created', payload } as never);
      return found;
    }

    async function told(happening: Happening): Promise<Map<number, string>> {
      const { core } = service;
      const deps = {
        db: core.db,
        tracker: notificationSource(core),
        today: core.access.today(),
        baseUrl: 'http://forge.test',
      };
      const receivers = (await announcementOf(deps, happening))?.receivers ?? [];
      const told = new Map(receivers.map(({ userId, reason }) => [userId, headerReason(reason) ?? '']));
      assert.equal(told.size, receivers.length);
      return told;
    }

    /** A thing has one author, and one person does it: as many rounds as there are settings. */
    function rounds() {
      const authors = having('author');
      const silent = having('does it, commented before');
      const curious = having('does it, commented before, wants to be told of it');
      const all = authors.map((author, index) => ({ author, actor: (index % 2 ? curious : silent)[index]! }));
      // the rules are the same for both databases, the queries are not: there some rounds are enough
      return kind === 'sqlite' ? all : all.filter((_, index) => index % 5 === 0);
    }

    const thingOf = (of: TableKind) =>
      of.includes('issue') || of === 'new_note' ? 'issues' : 'merge_requests';

    for (const of of Object.keys(RULES) as TableKind[]) {
      it(`of ${of}`, async () => {
        const { db } = service.core;
        for (const { author, actor } of rounds()) {
          const table = thingOf(of);
          const id = table === 'issues' ? issueId : mergeRequestId;
          await db.updateTable(table).set({ author_id: author.id }).where('id', '=', id).execute();
          const [happening] = await happen(of, actor);
          assert.equal(happening?.kind, of);
          const reasons = await told(happening!);
          if (of === 'new_note') await db.deleteFrom('notes').where('id', '=', happening!.note!.id).execute();
          const wrong = people.flatMap((person) => {
            const relation = relationIn(of, person, { author, actor });
            const want = expected(of, relation, person.setting);
            const got = reasons.get(person.id) ?? null;
            return want === got ? [] : [{ ...person, relation, want, got }];
          });
          assert.deepEqual(wrong, []);
        }
      });
    }

    /** Whoever is not author or actor in this round has less to do with it. */
    function relationIn(of: TableKind, person: Person, { author, actor }: { author: Person; actor: Person }) {
      const { relation } = person;
      if (relation === 'author' && person !== author) return 'member who has to do with nothing';
      if (relation.startsWith('does it') && person !== actor) return 'commented before';
      if (relation === 'reviewer' && thingOf(of) === 'issues') return 'member who has to do with nothing';
      if (relation === 'former assignee' && !of.startsWith('reassign')) {
        return 'member who has to do with nothing';
      }
      if (relation === 'former reviewer' && !of.startsWith('change_reviewer')) {
        return 'member who has to do with nothing';
      }
      if (relation.startsWith('named in the new note') && of !== 'new_note') {
        return relation.endsWith('unsubscribed')
          ? 'commented before, unsubscribed'
          : 'member who has to do with nothing';
      }
      return relation;
    }

    it('of pipelines', async () => {
      const { core } = service;
      const sources = { pipelines: pipelineSource(core), tracker: notificationSource(core) };
      for (const person of having('member who has to do with nothing')) {
        const kinds = await pipelinesOf(person);
        const want = Object.keys(PIPELINE_RULES).filter((one) =>
          PIPELINE_RULES[one]!.includes(person.setting),
        );
        assert.deepEqual({ ...person, kinds }, { ...person, kinds: want });
      }

      /** One pipeline fails, the next one mends it, the third one finds it mended. */
      async function pipelinesOf(person: Person): Promise<string[]> {
        const kinds = [];
        for (const [index, status] of (['failed', 'success', 'success'] as const).entries()) {
          const row = {
            iid: person.id * 10 + index,
            project_id: projectId,
            sha: 'f'.repeat(40),
            ref: person.username,
            source: 'push',
            user_id: person.id,
            status,
            created_at: 1,
            updated_at: 1,
          };
          const { id } = await core.db
            .insertInto('pipelines')
            .values(row)
            .returning('id')
            .executeTakeFirstOrThrow();
          const payload = {
            projectId,
            pipelineId: id,
            ref: row.ref,
            sha: row.sha,
            mergeRequestId: null,
            before: null,
            status,
          };
          const event = { ...EVENT, id: id + 1_000_000, type: 'pipeline.updated' as const, payload };
          const ended = await endedPipeline(sources, event);
          const happening = await core.database.transaction((tx) => pipelineHappening(tx, ended!));
          const reached = [...(await told(happening!)).keys()];
          assert.ok(reached.every((userId) => userId === person.id));
          if (reached.length > 0) kinds.push(happening!.kind);
        }
        return kinds;
      }
    });
  });
}
