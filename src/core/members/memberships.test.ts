import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedUser } from '../../../test/support/seed.ts';
import { startService } from '../../../test/support/service.ts';

for (const kind of dialects) {
  it(`administrators see what somebody belongs to, on ${kind}`, async () => {
    const service = await startService({ kind });
    try {
      const bob = await seedUser(service.core, 'bob');
      const group = await service.api('POST', '/groups', { body: { name: 'Team', path: 'team' } });
      const project = await service.api('POST', '/projects', {
        body: { name: 'p', namespace_id: group.body.id },
      });
      const as = (access_level: number) => ({ body: { user_id: bob.user.id, access_level } });
      await service.api('POST', `/groups/${group.body.id}/members`, as(20));
      await service.api('POST', `/projects/${project.body.id}/members`, as(30));
      const path = `/users/${bob.user.id}/memberships`;
      const inGroup = {
        source_id: group.body.id,
        source_name: 'Team',
        source_type: 'Namespace',
        access_level: 20,
      };
      const inProject = {
        source_id: project.body.id,
        source_name: 'p',
        source_type: 'Project',
        access_level: 30,
      };
      const all = await service.api('GET', path);
      assert.deepEqual([all.body, all.headers['x-total']], [[inGroup, inProject], '2']);
      assert.deepEqual((await service.api('GET', path, { query: { type: 'Project' } })).body, [inProject]);
      assert.equal((await service.api('GET', path, { token: bob.token })).status, 403);
      assert.equal((await service.api('GET', '/users/999999/memberships')).status, 404);
    } finally {
      await service.close();
    }
  });
}
