import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../platform/log.ts';
import { runCodeIndexContract } from '../contract/contract.ts';
import { type LocalCodeIndexOptions, openLocalCodeIndex } from './local-index.ts';

const VARIANTS: Record<string, Partial<LocalCodeIndexOptions>> = {
  local: {},
  // As a large index is searched, with work for three threads in each search.
  'local, searches divided': { searchWorkers: 3, largeBytes: 0, helpAfterMs: 0 },
};

for (const [name, options] of Object.entries(VARIANTS)) {
  runCodeIndexContract({
    name,
    async make() {
      const dir = await mkdtemp(join(tmpdir(), 'ingot-index-'));
      const index = await openLocalCodeIndex({ dir, log: createLog('silent'), ...options });
      return {
        index,
        async remove() {
          await index.close();
          await rm(dir, { recursive: true, force: true });
        },
      };
    },
  });
}
