import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import { announcementOf } from '../../src/notifications/happenings/announcement.ts';
import { noteHappenings } from '../../src/notifications/happenings/notes.ts';
import { createLog } from '../../src/platform/log.ts';
import { openService, type Service } from '../../src/service.ts';
import { notificationSource } from '../../src/tracker/notification-sources/sources.ts';
import { paired, type Row, times } from '../lib/measure.ts';

const FEW = 10;
const MANY = 10_000;
const RUNS = 41;
const LIMIT = 30;

/** The list of who is to be told of a comment, where ten thousand watch and where ten do; on the embedded database. */
export async function recipientRows(): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ingot-bench-'));
  const service = await openService({ dataDir, log: createLog('silent'), codeIndex: false });
  try {
    await service.listen({ host: '127.0.0.1', port: 0 });
    await insertCrowd(service);
    const [few, many] = [await watchedNote(service, 1, FEW), await watchedNote(service, 2, MANY)];
    const list = async (noteId: number, expected: number) => {
      const found = await recipientsOf(service, noteId);
      if (found !== expected) throw new Error(`${found} of ${expected} people`);
    };
    for (let run = 0; run < RUNS; run++) await list(few, FEW);
    const { a, b, ratio } = await paired(
      RUNS,
      () => list(many, MANY),
      () => list(few, FEW),
    );
    return [
      {
        what: `who is told of a comment, ${MANY} watchers; longest pause ${await longestPause(() => list(many, MANY))}`,
        ours: `${a.toFixed(1)} ms`,
        theirs: `${b.toFixed(2)} ms (${FEW} watchers)`,
        ratio: times(ratio),
        goal: `under ${LIMIT}x`,
        met: ratio < LIMIT,
      },
    ];
  } finally {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function longestPause(work: () => Promise<unknown>): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let run = 0; run < 5; run++) {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  delay.disable();
  return `${(delay.max / 1e6).toFixed(0)} ms`;
}

async function insertCrowd({ core: { db } }: Service): Promise<void> {
  await sql`insert into users (username, name, email, created_at, updated_at)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
    select 'crowd' || n, 'Crowd ' || n, 'crowd' || n || '@example.test', 1, 1 from numbers`.execute(db);
}

/** A project that so many watch, with a comment on an issue; returns the comment. */
async function watchedNote({ core: { db } }: Service, projectId: number, watchers: number): Promise<number> {
  const path = `root/p${projectId}`;
  await sql`insert into projects (id, namespace_id, name, path, full_path, name_with_namespace, storage_path, created_at, updated_at, last_activity_at)
    select ${projectId}, id, ${path}, ${path}, ${path}, ${path}, ${path}, 1, 1, 1 from namespaces where full_path = 'root'`.execute(
    db,
  );
  await sql`insert into members (user_id, project_id, access_level, created_at)
    select id, ${projectId}, 30, 1 from users where username like 'crowd%' order by id limit ${watchers}`.execute(
    db,
  );
  await sql`insert into notification_settings (user_id, project_id, level, created_at, updated_at)
    select user_id, project_id, 'watch', 1, 1 from members where project_id = ${projectId}`.execute(db);
  const issue = { iid: 1, project_id: projectId, title: 'Crowded', relative_position: 1 };
  const { id } = await db
    .insertInto('issues')
    .values({ ...issue, description: null, author_id: 1, created_at: 1, updated_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  const note = await db
    .insertInto('notes')
    .values({
      project_id: projectId,
      noteable_type: 'Issue',
      noteable_id: id,
      noteable_iid: 1,
      commit_id: null,
      author_id: 1,
      type: null,
      discussion_id: 'f'.repeat(40),
      body: 'Something to say.',
      position: null,
      resolved_at: null,
      resolved_by_id: null,
      created_at: 1,
      updated_at: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return note.id;
}

async function recipientsOf({ core }: Service, noteId: number): Promise<number> {
  const tracker = notificationSource(core);
  const deps = { db: core.db, tracker, today: core.access.today(), baseUrl: 'http://forge.test' };
  const payload = {
    projectId: 0,
    noteId,
    noteableType: 'Issue' as const,
    noteableId: null,
    commitId: null,
    userId: 1,
  };
  const event = { id: 1, stream: '', createdAt: 1, attempt: 1, type: 'note.created' as const, payload };
  const [happening] = await noteHappenings(deps, event);
  return happening ? ((await announcementOf(deps, happening))?.receivers.length ?? 0) : 0;
}
