import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedPerson, seedProject, seedUser } from '../../../test/support/seed.ts';
import { type Reply, startService, type TestService } from '../../../test/support/service.ts';

const NOT_FOUND = { message: '404 User Not Found' };

for (const kind of dialects) {
  describe(`changing users on ${kind}`, () => {
    let service: TestService;
    let ada: { id: number; token: string };

    before(async () => {
      service = await startService({ kind });
      ada = await seedPerson(service.core, 'ada');
    });
    after(() => service.close());

    const make = (body: Record<string, unknown>): Promise<Reply> =>
      service.api('POST', '/users', { body: { name: 'Somebody', force_random_password: true, ...body } });
    const made = async (username: string, more: Record<string, unknown> = {}): Promise<number> =>
      (await make({ username, email: `${username}@example.org`, ...more })).body.id;

    describe('changing', () => {
      it('changes what is given and leaves the rest', async () => {
        const id = await made('changing', { bio: 'before', location: 'here' });
        const reply = await service.api('PUT', `/users/${id}`, {
          body: { bio: '', organization: 'Org', admin: true, note: 'n', email: 'moved@example.org' },
        });
        assert.equal(reply.status, 200);
        const { bio, location, organization, is_admin, note, email, username, name } = reply.body;
        assert.deepEqual(
          { bio, location, organization, is_admin, note, email, username, name },
          {
            bio: '',
            location: 'here',
            organization: 'Org',
            is_admin: true,
            note: 'n',
            email: 'moved@example.org',
            username: 'changing',
            name: 'Somebody',
          },
        );
        const nobody = await service.api('PUT', '/users/99999', { body: { bio: 'x' } });
        assert.deepEqual([nobody.status, nobody.body], [404, NOT_FOUND]);
      });

      it('lets a public address be only the own one, and takes it away with that', async () => {
        const id = await made('publicly', { public_email: 'publicly@example.org' });
        const path = `/users/${id}`;
        assert.equal((await service.api('GET', path)).body.public_email, 'publicly@example.org');
        assert.equal(
          (await service.api('PUT', path, { body: { bio: 'x' } })).body.public_email,
          'publicly@example.org',
        );
        const moved = await service.api('PUT', path, { body: { email: 'elsewhere@example.org' } });
        assert.equal(moved.body.public_email, null);
        const shown = { public_email: 'elsewhere@example.org' };
        assert.equal(
          (await service.api('PUT', path, { body: shown })).body.public_email,
          'elsewhere@example.org',
        );
        assert.equal(
          (await service.api('PUT', path, { body: { public_email: '' } })).body.public_email,
          null,
        );
      });

      it('carries the projects along when a user is renamed, and leaves a way from the old path', async () => {
        const id = await made('old-name', { name: 'Old' });
        const project = await seedProject(service.core, 'tool', { ownerId: id });
        const reply = await service.api('PUT', `/users/${id}`, {
          body: { username: 'new-name', name: 'New' },
        });
        assert.equal(reply.body.username, 'new-name');
        const moved = await service.core.db
          .selectFrom('projects')
          .select(['full_path', 'name_with_namespace'])
          .where('id', '=', project.id)
          .executeTakeFirstOrThrow();
        assert.equal(moved.full_path, 'new-name/tool');
        const redirect = await service.core.db
          .selectFrom('project_redirects')
          .selectAll()
          .where('path', '=', 'old-name/tool')
          .executeTakeFirst();
        assert.equal(redirect?.project_id, project.id);
        assert.ok(await made('old-name', { email: 'another@example.org' }), 'the old name is free again');
      });
    });

    describe('deleting', () => {
      it('takes tokens, namespace and personal projects along', async () => {
        const { user, token } = await seedUser(service.core, 'leaving');
        const project = await seedProject(service.core, 'mine', { ownerId: user.id });
        const reply = await service.api('DELETE', `/users/${user.id}`);
        assert.equal(reply.status, 204);
        assert.equal((await service.api('GET', '/user', { token })).status, 401);
        assert.equal((await service.api('GET', `/users/${user.id}`)).status, 404);
        const { db } = service.core;
        const left = await db.selectFrom('projects').select('id').where('id', '=', project.id).execute();
        assert.deepEqual(left, []);
        assert.deepEqual((await service.api('DELETE', `/users/${user.id}`)).body, NOT_FOUND);
        assert.ok(await made('leaving'), 'the name is free again');
      });

      it('keeps projects that he made elsewhere', async () => {
        const { user } = await seedUser(service.core, 'maker');
        const project = await seedProject(service.core, 'kept');
        const { db } = service.core;
        await db.updateTable('projects').set({ creator_id: user.id }).where('id', '=', project.id).execute();
        await service.api('DELETE', `/users/${user.id}`);
        const row = await db
          .selectFrom('projects')
          .select('creator_id')
          .where('id', '=', project.id)
          .execute();
        assert.deepEqual(row, [{ creator_id: null }]);
      });

      it('does not leave a group without an owner, unless told to', async () => {
        const { user, token } = await seedUser(service.core, 'owner');
        const body = { name: 'Solo', path: 'solo' };
        const group = await service.api('POST', '/groups', { token, body });
        const refused = await service.api('DELETE', `/users/${user.id}`);
        const message = 'User cannot be removed while is the sole-owner of a group';
        assert.deepEqual([refused.status, refused.body], [409, { message }]);
        await service.core.db
          .insertInto('members')
          .values({
            user_id: ada.id,
            namespace_id: group.body.id,
            project_id: null,
            access_level: 50,
            expires_at: null,
            requested_at: null,
            created_by_id: null,
            created_at: 1,
          })
          .execute();
        assert.equal((await service.api('DELETE', `/users/${user.id}`)).status, 204);
        assert.equal((await service.api('GET', `/groups/${group.body.id}`)).status, 200);
        const hard = await service.api('DELETE', `/users/${ada.id}`, { query: { hard_delete: true } });
        assert.equal(hard.status, 204);
        assert.equal((await service.api('GET', `/groups/${group.body.id}`)).status, 404);
      });
    });

    describe('blocking', () => {
      it('refuses the calls of a blocked user until he is unblocked', async () => {
        const { user, token } = await seedUser(service.core, 'blockable');
        const act = (action: string) => service.api('POST', `/users/${user.id}/${action}`);
        const status = async () => (await service.api('GET', '/user', { token })).status;
        assert.equal(await status(), 200);
        for (const [off, on] of [
          ['block', 'unblock'],
          ['ban', 'unban'],
        ] as const) {
          const reply = await act(off);
          assert.deepEqual([reply.status, reply.body], [201, true]);
          assert.equal(await status(), 403);
          assert.equal((await act(on)).body, true);
          assert.equal(await status(), 200);
        }
        assert.equal((await act('unblock')).body, false, 'he is active already');
        await act('block');
        assert.equal((await act('block')).body, null, 'he is blocked already');
        assert.deepEqual((await service.api('POST', '/users/99999/block')).body, NOT_FOUND);
      });
    });
  });
}
