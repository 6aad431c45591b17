import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../platform/log.ts';
import { runCodeIndexContract } from '../contract/contract.ts';
import { openLocalCodeIndex } from './local-index.ts';

runCodeIndexContract({
  name: 'local',
  async make() {
    const dir = await mkdtemp(join(tmpdir(), 'ingot-index-'));
    const index = await openLocalCodeIndex({ dir, log: createLog('silent') });
    return {
      index,
      async remove() {
        await index.close();
        await rm(dir, { recursive: true, force: true });
      },
    };
  },
});
