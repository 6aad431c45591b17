import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiText } from '../../src/platform/http/openapi.ts';
import { createLog } from '../../src/platform/log.ts';
import { openService } from '../../src/service.ts';

/** The document of a service that was only opened, never started. */
export async function openApiOfService(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ingot-openapi-'));
  const service = await openService({ dataDir, log: createLog('silent'), fsync: false });
  try {
    return openApiText(service.api.routes);
  } finally {
    await service.close();
    await rm(dataDir, { recursive: true });
  }
}
