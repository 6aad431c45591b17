import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { postgresUrl, startPostgres } from './support/postgres-server.ts';
import { startProcess } from './support/process.ts';

describe('a service whose PostgreSQL goes away', () => {
  it('lives on, says that it is not ready, refuses in its words, and still ends on SIGTERM', async (test) => {
    const postgres = await startPostgres();
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-away-'));
    const databaseUrl = postgresUrl(postgres.socketDir, 'postgres');
    const service = await startProcess({ dataDir, databaseUrl, env: { INGOT_LOG_LEVEL: 'fatal' } });
    test.after(async () => {
      await service.kill();
      await rm(dataDir, { recursive: true, force: true });
    });
    await postgres.stop();
    const ready = await fetch(`${service.url}/-/readiness`);
    assert.equal(ready.status, 503);
    assert.equal(((await ready.json()) as { status: string }).status, 'failed');
    assert.equal((await fetch(`${service.url}/-/liveness`)).status, 200);
    const metrics = await fetch(`${service.url}/-/metrics`);
    assert.equal(metrics.status, 200);
    assert.match(await metrics.text(), /^ingot_outbox_depth Nan$/m);
    const { status, body } = await service.api('GET', '/user');
    assert.deepEqual([status, body], [503, { message: '503 Service Unavailable' }]);
    service.child.kill('SIGTERM');
    assert.equal(await service.ended(), 0, service.output());
  });
});
