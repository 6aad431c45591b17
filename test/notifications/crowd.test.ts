import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { announcementOf } from '../../src/notifications/happenings/announcement.ts';
import { noteHappenings } from '../../src/notifications/happenings/notes.ts';
import type { Db } from '../../src/platform/db/tables.ts';
import { notificationSource } from '../../src/tracker/notification-sources/sources.ts';
import { dialects } from '../support/databases.ts';
import { startService, type TestService } from '../support/service.ts';

for (const kind of dialects) {
  describe(`a comment where ten thousand watch, on ${kind}`, () => {
    let service: TestService;
    const projects = new Map<number, number>();

    before(async () => {
      service = await startService({ kind });
      const { db } = service.core;
      await sql`insert into users (username, name, email, created_at, updated_at)
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
        select 'crowd' || n, 'Crowd ' || n, 'crowd' || n || '@example.test', 1, 1 from numbers`.execute(db);
      for (const size of [10, 10_000]) {
        const made = await service.api('POST', '/projects', { body: { name: `with-${size}` } });
        const { id } = made.body;
        projects.set(size, id);
        await sql`insert into members (user_id, project_id, access_level, created_at)
          select id, cast(${id} as bigint), 30, 1 from users where username like 'crowd%' order by id limit ${size}`.execute(
          db,
        );
        await sql`insert into notification_settings (user_id, project_id, level, created_at, updated_at)
          select user_id, project_id, 'watch', 1, 1 from members where project_id = ${id} and access_level = 30`.execute(
          db,
        );
        await service.api('POST', `/projects/${id}/issues`, { body: { title: 'Crowded' } });
        // the last one only: the mails of a crowd are another test's
        await service.core.events.idle();
      }
    });
    after(() => service?.close());

    async function tell(size: number, body: string) {
      const { core } = service;
      const projectId = projects.get(size)!;
      const [issue] = await core.db
        .selectFrom('issues')
        .select('id')
        .where('project_id', '=', projectId)
        .execute();
      const note = await core.db
        .insertInto('notes')
        .values({
          project_id: projectId,
          noteable_type: 'Issue',
          noteable_id: issue!.id,
          noteable_iid: 1,
          commit_id: null,
          author_id: 1,
          type: null,
          discussion_id: 'f'.repeat(40),
          body,
          position: null,
          resolved_at: null,
          resolved_by_id: null,
          created_at: 1,
          updated_at: 1,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const { db, queries } = counted(core.db);
      const tracker = notificationSource({ ...core, db });
      const event = { id: 1, stream: '', createdAt: 1, attempt: 1, type: 'note.created' as const };
      const payload = {
        projectId,
        noteId: note.id,
        noteableType: 'Issue' as const,
        noteableId: issue!.id,
        commitId: null,
        userId: 1,
      };
      const [happening] = await noteHappenings({ db, tracker }, { ...event, payload });
      const deps = { db, tracker, today: core.access.today(), baseUrl: 'http://forge.test' };
      const announcement = await announcementOf(deps, happening!);
      return { people: announcement?.receivers.length, queries: queries() };
    }

    it('takes as many queries as where ten do', async () => {
      const few = await tell(10, 'hello');
      const many = await tell(10_000, 'hello');
      assert.deepEqual(few, { people: 10, queries: many.queries });
      assert.equal(many.people, 10_000);
      assert.ok(many.queries < 30, `${many.queries} queries`);
    });

    it('also where all of them are named at once', async () => {
      const few = await tell(10, 'hello @all');
      const many = await tell(10_000, 'hello @all');
      assert.deepEqual(few, { people: 10, queries: many.queries });
      assert.equal(many.people, 10_000);
    });
  });
}

/** The same database, and how many queries went through it. */
function counted(db: Db): { db: Db; queries: () => number } {
  let count = 0;
  const through = db.withPlugin({
    transformQuery({ node }) {
      count++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: through as Db, queries: () => count };
}
