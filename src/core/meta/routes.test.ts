import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startService, type TestService } from '../../../test/support/service.ts';

describe('version and metadata', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('name a GitLab version that clients can compare', async () => {
    const { body } = await service.api('GET', '/version');
    assert.match(body.version, /^\d+\.\d+\.\d+(-[a-z]+)?$/);
    assert.match(body.revision, /^\d+\.\d+\.\d+/);
    const metadata = (await service.api('GET', '/metadata')).body;
    assert.deepEqual(metadata, {
      ...body,
      kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
      enterprise: false,
    });
  });

  it('need a token like everything else', async () => {
    for (const path of ['/version', '/metadata']) {
      assert.equal((await service.api('GET', path, { token: null })).status, 401);
    }
  });
});
