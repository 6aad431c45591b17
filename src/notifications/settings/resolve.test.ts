import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Insertable } from 'kysely';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { createUser } from '../../core/users/create.ts';
import type { Database } from '../../platform/db/database.ts';
import { choiceOf, EVENT_NAMES, isEventOn, NOTHING_CHOSEN } from './event-names.ts';
import type { NotificationLevel } from './levels.ts';
import { resolveLevels, watchersOf } from './resolve.ts';
import type { NotificationSettingsTable } from './tables.ts';

const TODAY = '2024-06-01';

describe('events', () => {
  it('keep their places: rows hold them by number', () => {
    assert.deepEqual(EVENT_NAMES, [
      'new_release',
      'new_note',
      'new_issue',
      'reopen_issue',
      'close_issue',
      'reassign_issue',
      'issue_due',
      'new_merge_request',
      'push_to_merge_request',
      'reopen_merge_request',
      'close_merge_request',
      'reassign_merge_request',
      'change_reviewer_merge_request',
      'merge_merge_request',
      'failed_pipeline',
      'fixed_pipeline',
      'success_pipeline',
      'moved_project',
      'merge_when_pipeline_succeeds',
      'new_epic',
    ]);
  });

  it('without a choice are off, but for pipelines that fail or are fixed, and moved projects', () => {
    const on = EVENT_NAMES.filter((name) => isEventOn(NOTHING_CHOSEN, name));
    assert.deepEqual(on, ['failed_pipeline', 'fixed_pipeline', 'moved_project']);
    const bit = 2 ** EVENT_NAMES.indexOf('fixed_pipeline');
    assert.equal(isEventOn({ chosen: bit, on: 0 }, 'fixed_pipeline'), false);
    const success = 2 ** EVENT_NAMES.indexOf('success_pipeline');
    assert.equal(isEventOn({ chosen: bit | success, on: success }, 'fixed_pipeline'), true);
    assert.equal(choiceOf({ chosen: bit, on: bit }, 'fixed_pipeline'), true);
    assert.equal(choiceOf({ chosen: bit, on: bit }, 'new_note'), null);
  });
});

/** A group in a group with a project, and whoever is needed. */
class Scene {
  readonly database: Database;
  readonly project: number;
  /** The nearest first. */
  readonly groups: [number, number];
  #made = 0;

  private constructor(database: Database, project: number, groups: [number, number]) {
    this.database = database;
    this.project = project;
    this.groups = groups;
  }

  static async make(database: Database): Promise<Scene> {
    const { db } = database;
    const group = async (path: string, parent: number | null) => {
      const row = { kind: 'group' as const, parent_id: parent, owner_id: null, name: path, path };
      const names = { full_path: path, full_name: path, traversal: '', created_at: 1, updated_at: 1 };
      const made = db.insertInto('namespaces').values({ ...row, ...names });
      return (await made.returning('id').executeTakeFirstOrThrow()).id;
    };
    const top = await group('top', null);
    const sub = await group('sub', top);
    return new Scene(database, await Scene.#addProject(database, sub, 'p'), [sub, top]);
  }

  static async #addProject({ db }: Database, namespace: number, path: string): Promise<number> {
    const names = { name: path, path, full_path: `${namespace}/${path}`, name_with_namespace: path };
    const times = { created_at: 1, updated_at: 1, last_activity_at: 1 };
    const row = { namespace_id: namespace, creator_id: null, storage_path: `${namespace}-${path}` };
    const nothing = { description: null, default_branch: null, forked_from_id: null };
    const made = db.insertInto('projects').values({ ...row, ...names, ...times, ...nothing });
    return (await made.returning('id').executeTakeFirstOrThrow()).id;
  }

  get place() {
    return { projectId: this.project, groupIds: this.groups };
  }

  async user(own?: NotificationLevel): Promise<number> {
    const username = `u${this.#made++}`;
    const input = { username, name: username, email: `${username}@example.com` };
    const { id } = await this.database.transaction((tx) => createUser(tx, input, 1));
    if (own) await this.set(id, { level: own, delivery: 'immediate' });
    return id;
  }

  async set(userId: number, values: Partial<Insertable<NotificationSettingsTable>>): Promise<void> {
    const row = { user_id: userId, project_id: null, group_id: null, level: 'global' as const };
    await this.database.db
      .insertInto('notification_settings')
      .values({ ...row, created_at: 1, updated_at: 1, ...values })
      .execute();
  }

  async member(
    userId: number,
    where: { project_id?: number; namespace_id?: number },
    more: { expires_at?: string; requested_at?: number } = {},
  ): Promise<void> {
    const row = { user_id: userId, project_id: null, namespace_id: null, access_level: 30, created_at: 1 };
    const rest = { expires_at: null, requested_at: null, created_by_id: null };
    await this.database.db
      .insertInto('members')
      .values({ ...row, ...rest, ...where, ...more })
      .execute();
  }

  async level(userId: number) {
    const found = await resolveLevels(this.database.db, { ...this.place, userIds: [userId] });
    const { level, levelFrom } = found.get(userId)!;
    return [level, levelFrom.kind, levelFrom.id];
  }

  async watchers(): Promise<number[]> {
    const found = await watchersOf(this.database.db, { ...this.place, today: TODAY });
    return [...found.keys()].sort((a, b) => a - b);
  }
}

forEachDatabase((_kind, open) => {
  it('the level is that of the project, else of the nearest group, else one’s own', async () => {
    const scene = await Scene.make(await open());
    const [sub, top] = scene.groups;
    assert.deepEqual(await scene.level(await scene.user()), ['participating', 'default', null]);
    const user = await scene.user('mention');
    assert.deepEqual(await scene.level(user), ['mention', 'user', null]);
    await scene.set(user, { group_id: top, level: 'watch' });
    assert.deepEqual(await scene.level(user), ['watch', 'group', top]);
    await scene.set(user, { group_id: sub, level: 'global' });
    assert.deepEqual(await scene.level(user), ['watch', 'group', top]);
    const other = await scene.user('disabled');
    await scene.set(other, { group_id: top, level: 'watch' });
    await scene.set(other, { group_id: sub, level: 'custom', events_chosen: 2, events_on: 2 });
    assert.deepEqual(await scene.level(other), ['custom', 'group', sub]);
    await scene.set(other, { project_id: scene.project, level: 'disabled', events_chosen: 4, events_on: 4 });
    assert.deepEqual(await scene.level(other), ['disabled', 'project', scene.project]);
    const found = await resolveLevels(scene.database.db, { ...scene.place, userIds: [other, user, 999_999] });
    assert.deepEqual([...found.keys()].sort(), [user, other]);
    assert.deepEqual(found.get(other)?.events, { chosen: 4, on: 4 }, 'of the same row as the level');
    assert.deepEqual(found.get(other)?.email, 'u2@example.com');
  });

  it('who says `global` for himself hears of nothing by level', async () => {
    const scene = await Scene.make(await open());
    const user = await scene.user('global');
    assert.deepEqual(await scene.level(user), ['global', 'user', null]);
  });

  it('when mail goes out is found in the same way, by itself', async () => {
    const scene = await Scene.make(await open());
    const user = await scene.user('watch');
    await scene.set(user, { group_id: scene.groups[1], delivery: 'daily' });
    await scene.set(user, { project_id: scene.project, level: 'mention' });
    const found = await resolveLevels(scene.database.db, { ...scene.place, userIds: [user] });
    const { level, delivery, deliveryFrom } = found.get(user)!;
    assert.deepEqual([level, delivery], ['mention', 'daily']);
    assert.deepEqual(deliveryFrom, { kind: 'group', id: scene.groups[1] });
  });

  it('mail goes to the address that was chosen, once it is confirmed', async () => {
    const scene = await Scene.make(await open());
    const user = await scene.user();
    const { db } = scene.database;
    const { id } = await db
      .insertInto('user_emails')
      .values({
        user_id: user,
        email: 'second@example.com',
        confirmed_at: 1,
        token_hash: null,
        created_at: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await scene.set(user, { level: 'watch', email_id: id });
    const email = async () => (await resolveLevels(db, { ...scene.place, userIds: [user] })).get(user)?.email;
    assert.equal(await email(), 'second@example.com');
    await db.updateTable('user_emails').set({ confirmed_at: null }).execute();
    assert.equal(await email(), 'u0@example.com');
    await db.deleteFrom('user_emails').execute();
    assert.equal(await email(), 'u0@example.com');
  });

  it('watchers belong to the place, or have set something there', async () => {
    const scene = await Scene.make(await open());
    const [sub, top] = scene.groups;
    const expected: number[] = [];
    const watcher = async (own: NotificationLevel) => {
      const id = await scene.user(own);
      expected.push(id);
      return id;
    };
    await scene.member(await watcher('watch'), { project_id: scene.project });
    await scene.member(await watcher('custom'), { namespace_id: top });
    await scene.member(await watcher('watch'), { namespace_id: sub }, { expires_at: '2024-06-02' });
    await scene.set(await watcher('watch'), { group_id: sub });
    await scene.set(await watcher('disabled'), { project_id: scene.project, level: 'watch' });
    const stranger = await scene.user('watch');
    await scene.member(await scene.user('watch'), { namespace_id: sub }, { expires_at: TODAY });
    await scene.member(await scene.user('watch'), { namespace_id: sub }, { requested_at: 1 });
    await scene.member(await scene.user('participating'), { namespace_id: sub });
    const calmer = await scene.user('watch');
    await scene.member(calmer, { project_id: scene.project });
    await scene.set(calmer, { project_id: scene.project, level: 'mention' });
    const nearer = await scene.user();
    await scene.set(nearer, { group_id: top, level: 'watch' });
    await scene.set(nearer, { group_id: sub, level: 'participating' });
    assert.deepEqual(await scene.watchers(), expected);
    const outside = await watchersOf(scene.database.db, { projectId: null, groupIds: [top], today: TODAY });
    assert.deepEqual(
      [...outside.keys()].sort((a, b) => a - b),
      [expected[1], nearer],
    );
    assert.ok(!outside.has(stranger));
  });

  it('the owner of a personal project is one of its watchers', async () => {
    const scene = await Scene.make(await open());
    const { db } = scene.database;
    const owner = await scene.user('watch');
    const home = await db
      .selectFrom('namespaces')
      .select('id')
      .where('owner_id', '=', owner)
      .executeTakeFirstOrThrow();
    await db.updateTable('projects').set({ namespace_id: home.id }).execute();
    assert.deepEqual(await scene.watchers(), [owner]);
  });

  it('a place with many watchers takes as many queries as one with few', async () => {
    const scene = await Scene.make(await open());
    let queries = 0;
    const counting = scene.database.db.withPlugin({
      transformQuery: ({ node }) => {
        queries++;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const queriesFor = async (people: number) => {
      for (let made = 0; made < people; made++) {
        await scene.member(await scene.user(made % 2 ? 'watch' : 'custom'), {
          namespace_id: scene.groups[1],
        });
      }
      queries = 0;
      const watchers = await watchersOf(counting, { ...scene.place, today: TODAY });
      await resolveLevels(counting, { ...scene.place, userIds: [...watchers.keys()] });
      return [watchers.size, queries];
    };
    assert.deepEqual(await queriesFor(2), [2, 4]);
    assert.deepEqual(await queriesFor(100), [102, 4]);
  });

  it('many are resolved like few', async () => {
    const scene = await Scene.make(await open());
    const ids: number[] = [];
    for (let made = 0; made < 3; made++) ids.push(await scene.user('watch'));
    await scene.set(ids[1]!, { project_id: scene.project, level: 'mention' });
    const absent = Array.from({ length: 25_000 }, (_, index) => 1_000_000 + index);
    const found = await resolveLevels(scene.database.db, { ...scene.place, userIds: [...absent, ...ids] });
    assert.deepEqual(
      ids.map((id) => found.get(id)?.level),
      ['watch', 'mention', 'watch'],
    );
    assert.equal(found.size, 3);
    assert.equal((await resolveLevels(scene.database.db, { ...scene.place, userIds: [] })).size, 0);
  });
});
