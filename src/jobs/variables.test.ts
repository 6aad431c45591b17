import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seedUser } from '../../test/support/seed.ts';
import { startService } from '../../test/support/service.ts';

it('the list of variables of the whole service is empty, and for administrators', async () => {
  const service = await startService({ kind: 'sqlite' });
  try {
    const ann = await seedUser(service.core, 'ann');
    const all = await service.api('GET', '/admin/ci/variables');
    assert.deepEqual([all.status, all.body], [200, []]);
    assert.equal((await service.api('GET', '/admin/ci/variables', { token: ann.token })).status, 403);
  } finally {
    await service.close();
  }
});
