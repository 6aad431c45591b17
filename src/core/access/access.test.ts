import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { createGroup } from '../groups/create.ts';
import { insertShare } from '../groups/shares-store.ts';
import { insertMember } from '../members/store.ts';
import { createProject } from '../projects/create.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';
import { listProjects } from '../projects/list-store.ts';
import type { Namespace } from '../tables.ts';
import { type ProjectAbility, projectAbilities } from './abilities.ts';
import { membersOf, readersOf } from './audience.ts';
import { MAX_NAMED } from './audience-store.ts';

const YESTERDAY = '2001-01-01';
const FAR = '2999-01-01';

for (const kind of dialects) {
  describe(`levels on ${kind}`, () => {
    let service: TestService;
    let owner: { user: Person['user']; admin: boolean };
    /** top > middle > bottom, a project in bottom; `friends` has a group `best` below it. */
    let top: Namespace;
    let bottom: Namespace;
    let friends: Namespace;
    let best: Namespace;
    let project: ProjectWithNamespace;

    before(async () => {
      service = await startService({ kind });
      const { core } = service;
      owner = { user: (await seedUser(core, 'owner')).user, admin: false };
      const group = (path: string, parentId: number | null = null) =>
        createGroup(core, owner, { name: path, path, parentId });
      top = await group('top');
      const middle = await group('middle', top.id);
      bottom = await group('bottom', middle.id);
      friends = await group('friends');
      best = await group('best', friends.id);
      project = await createProject(core, owner, { name: 'p', namespaceId: bottom.id });
    });
    after(() => service.close());

    let number = 0;
    const person = async () => (await seedUser(service.core, `person${number++}`)).user;

    interface Row {
      group?: Namespace;
      level: number;
      expires?: string;
      requested?: boolean;
    }
    const join = (user: { id: number }, { group, level, expires, requested }: Row) =>
      service.core.database.transaction((tx) =>
        insertMember(tx, {
          user_id: user.id,
          namespace_id: group?.id ?? null,
          project_id: group ? null : project.id,
          access_level: level,
          expires_at: expires ?? null,
          requested_at: requested ? 1 : null,
          created_by_id: null,
          created_at: 1,
        }),
      );
    /** Level of a new person with these memberships, asked in every way: one by one, by lists and among many. */
    const levelWith = async (...rows: Row[]): Promise<number> => {
      const user = await person();
      for (const row of rows) await join(user, row);
      return levelOf(user);
    };
    const levelOf = async (user: Person['user']): Promise<number> => {
      const actor = { user, admin: false };
      const { level, visible } = await service.core.access.project(actor, project);
      assert.equal(visible, level > 0, 'a private project is seen by members');
      for (const minimum of [10, 20, 30, 40, 50]) {
        assert.equal(await listed(actor, minimum), level >= minimum, `in the list from ${minimum} on`);
      }
      assert.deepEqual(await amongMany(user, project), [level, level]);
      return level;
    };
    /** As one of a few people, and as one of more than are named in a query. */
    const amongMany = async (user: Person['user'], where: ProjectWithNamespace) => {
      const { db, access } = service.core;
      const crowd = Array.from({ length: MAX_NAMED }, (_, index) => ({ ...user, id: 1_000_000 + index }));
      const levels = [];
      for (const people of [[user], [user, ...crowd]]) {
        const readers = await readersOf(db, where, { people, today: access.today() });
        const reader = readers.get(user.id)!;
        const asCaller = await access.project({ user, admin: false }, where);
        assert.equal(reader.visible, asCaller.visible);
        for (const ability of Object.keys(projectAbilities) as ProjectAbility[]) {
          assert.equal(reader.can(ability), asCaller.can(ability), ability);
        }
        levels.push(reader.level);
      }
      return levels;
    };
    const listed = async (actor: typeof owner, minAccessLevel?: number) => {
      const viewer = service.core.access.viewer(actor);
      const filter = { viewer, minAccessLevel, namespaceIds: [project.namespace_id] };
      const rows = await listProjects(service.core.db, filter, { by: 'id', direction: 'asc' }, { limit: 9 });
      return rows.length > 0;
    };
    const share = (withGroup: Namespace, level: number, what: { group?: Namespace; expires?: string } = {}) =>
      service.core.database.transaction((tx) =>
        insertShare(tx, {
          namespace_id: what.group?.id ?? null,
          project_id: what.group ? null : project.id,
          shared_with_id: withGroup.id,
          access_level: level,
          expires_at: what.expires ?? null,
          created_at: 1,
        }),
      );
    const unshareAll = () => service.core.db.deleteFrom('group_shares').execute();

    it('come from the project, its group and every group above', async () => {
      assert.equal(await levelWith(), 0);
      assert.equal(await levelWith({ level: 20 }), 20);
      assert.equal(await levelWith({ group: bottom, level: 30 }), 30);
      assert.equal(await levelWith({ group: top, level: 40 }), 40);
    });

    it('are the highest of all', async () => {
      assert.equal(
        await levelWith({ group: top, level: 10 }, { group: bottom, level: 30 }, { level: 20 }),
        30,
      );
    });

    it('do not come from a group beside or below', async () => {
      assert.equal(await levelWith({ group: friends, level: 50 }), 0);
    });

    it('end on the day they expire', async () => {
      const today = service.core.access.today();
      assert.equal(await levelWith({ level: 30, expires: FAR }), 30);
      assert.equal(await levelWith({ level: 30, expires: today }), 0);
      assert.equal(await levelWith({ level: 30, expires: YESTERDAY }, { group: top, level: 10 }), 10);
    });

    it('are not given by asking for them', async () => {
      assert.equal(await levelWith({ level: 30, requested: true }), 0);
    });

    it('come through a share of the project, no higher than the share', async () => {
      await share(best, 30);
      assert.equal(await levelWith({ group: best, level: 50 }), 30);
      assert.equal(await levelWith({ group: best, level: 20 }), 20);
      assert.equal(await levelWith({ group: friends, level: 40 }), 30, 'inherited in the group shared with');
      assert.equal(await levelWith({ group: best, level: 50, expires: YESTERDAY }), 0);
      assert.equal(await levelWith({ group: best, level: 50, requested: true }), 0);
      await unshareAll();
    });

    it('come through a share of a group above', async () => {
      await share(friends, 40, { group: top });
      assert.equal(await levelWith({ group: friends, level: 30 }), 30);
      assert.equal(
        await levelWith({ group: best, level: 50 }),
        0,
        'a member below the group shared with is none',
      );
      await unshareAll();
    });

    it('end with the share', async () => {
      await share(friends, 40, { expires: YESTERDAY });
      assert.equal(await levelWith({ group: friends, level: 30 }), 0);
      await unshareAll();
    });

    it('do not travel from share to share', async () => {
      await share(best, 40, { group: top });
      await share(top, 40, { group: friends });
      const user = await person();
      await join(user, { group: friends, level: 50 });
      assert.equal(await levelOf(user), 40, 'best is below friends');
      const other = await person();
      await join(other, { group: top, level: 10 });
      const access = await service.core.access.group({ user: other, admin: false }, friends);
      assert.equal(access.level, 10);
      await unshareAll();
    });

    it('are those of an owner in the own namespace, for nobody else', async () => {
      const { core } = service;
      const user = await person();
      const own = await createProject(core, { user, admin: false }, { name: 'own' });
      await core.db.deleteFrom('members').where('project_id', '=', own.id).execute();
      assert.equal((await core.access.project({ user, admin: false }, own)).level, 50);
      assert.deepEqual(await amongMany(user, own), [50, 50]);
      assert.equal((await membersOf(core.db, own, core.access.today())).get(user.id), 50);
      assert.equal((await core.access.project(owner, own)).level, 0);
    });

    it('of an administrator are above all, and of nobody none', async () => {
      const { core } = service;
      const admin = { user: await person(), admin: true };
      assert.equal((await core.access.project(admin, project)).level, 60);
      assert.equal((await core.access.group(admin, top)).level, 60);
      assert.equal((await core.access.project(null, project)).level, 0);
    });

    it('say where a membership comes from', async () => {
      const user = await person();
      await join(user, { level: 20 });
      await join(user, { group: top, level: 10 });
      const levels = await service.core.access.levels({ user, admin: false }, [project]);
      assert.deepEqual(levels.get(project.id), { direct: 20, inherited: 10, effective: 20 });
    });

    it('below a group let its groups be seen, but nothing be done there', async () => {
      const user = await person();
      await join(user, { level: 30 });
      const access = await service.core.access.group({ user, admin: false }, top);
      assert.equal(access.can('read_group'), true);
      assert.equal(access.level, 0);
      assert.equal(access.can('create_projects'), false);
      const stranger = await service.core.access.group({ user: await person(), admin: false }, top);
      assert.equal(stranger.visible, false);
    });
  });
}
