/** Brings one corpus to one commit after the other, printing each once it is acknowledged, until it is killed. */
import { writeSync } from 'node:fs';
import { createLog } from '../../../platform/log.ts';
import { openLocalCodeIndex } from './local-index.ts';

const [dir = '', repository = '', ...commits] = process.argv.slice(2);
const index = await openLocalCodeIndex({ dir, log: createLog('silent') });
const held = index.commits(['project:1']).get('project:1');
for (let next = held === undefined ? 0 : commits.indexOf(held) + 1; ; next++) {
  const commit = commits[next % commits.length]!;
  await index.update('project:1', { repository, commit });
  await index.update('project:2', { repository, commit: commits[(next * 7) % commits.length]! });
  writeSync(1, `${commit}\n`);
}
