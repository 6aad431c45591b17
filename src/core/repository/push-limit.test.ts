import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { resolveRef } from '../../git/refs.ts';
import { openTestGit, type TestGit } from '../../git/testing.ts';

describe('receive_max_input_size', () => {
  let service: TestService;
  let work: TestGit;

  before(async () => {
    service = await startService();
    work = await openTestGit();
  });
  after(async () => {
    await work[Symbol.asyncDispose]();
    await service.close();
  });

  it('refuses a larger push and leaves nothing of it; a smaller one passes, any size without it', async () => {
    const owner = await seedUser(service.core, 'owner');
    const project = await seedProject(service.core, 'p', { ownerId: owner.user.id });
    const address = `${service.baseUrl.replace('://', `://x:${owner.token}@`)}/${project.full_path}.git`;
    const limit = (receive_max_input_size: number | null) =>
      service.api('PUT', '/application/settings', { body: { receive_max_input_size } });
    const tip = () => resolveRef(service.core.repositoryOf(project), 'refs/heads/main');
    const tree = await work.workTree();
    const push = () => tree.git('push', address, 'HEAD:refs/heads/main');

    await limit(1);
    const small = await tree.save({ small: 'x' });
    await push();
    assert.equal(await tip(), small);
    const large = await tree.save({ large: randomBytes(2 * 1024 * 1024).toString('latin1') });
    await assert.rejects(push(), /maximum allowed size/);
    assert.equal(await tip(), small);
    await limit(null);
    await push();
    assert.equal(await tip(), large);
  });
});
