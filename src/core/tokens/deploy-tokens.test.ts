import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seedUser } from '../../../test/support/seed.ts';
import { startService } from '../../../test/support/service.ts';

it('lists of deploy tokens are empty, for those who might have made some', async () => {
  const service = await startService({ kind: 'sqlite' });
  try {
    const ann = await seedUser(service.core, 'ann');
    const bob = await seedUser(service.core, 'bob');
    const visibility = 'public';
    const group = await service.api('POST', '/groups', {
      body: { name: 'g', path: 'g', visibility },
      token: ann.token,
    });
    const project = await service.api('POST', '/projects', {
      body: { name: 'p', visibility },
      token: ann.token,
    });
    for (const path of [
      `/groups/${group.body.id}/deploy_tokens`,
      `/projects/${project.body.id}/deploy_tokens`,
    ]) {
      const own = await service.api('GET', path, { token: ann.token });
      assert.deepEqual([own.status, own.body], [200, []]);
      assert.equal((await service.api('GET', path, { token: bob.token })).status, 403);
    }
    assert.deepEqual((await service.api('GET', '/deploy_tokens')).body, []);
    assert.equal((await service.api('GET', '/deploy_tokens', { token: ann.token })).status, 403);
  } finally {
    await service.close();
  }
});
