import { type BareFiles, startBareFiles } from './jobs/bare-files.ts';
import { expiredRows } from './jobs/expired.ts';
import { gigabyteRows } from './jobs/gigabyte.ts';
import { oneFileRow } from './jobs/one-file.ts';
import { traceRow } from './jobs/trace.ts';
import { Ingot } from './lib/ingot.ts';
import { type Row, report } from './lib/measure.ts';

/**
 * What jobs store, under load, as ratios in one run against bare Node and bare Fastify doing the same to files.
 *
 *   node bench/jobs-artifacts.ts [PART ...]
 *
 * Parts: trace, gigabyte, one-file, expired; all of them without a choice.
 */

export interface ArtifactBench {
  ingot: Ingot;
  bare: BareFiles;
}

export const ARTIFACT_PARTS: Record<string, (bench: ArtifactBench) => Promise<Row[]>> = {
  trace: traceRow,
  gigabyte: gigabyteRows,
  'one-file': oneFileRow,
  expired: expiredRows,
};

const chosen = process.argv.slice(2);
const ingot = await Ingot.start();
const bare = await startBareFiles();
try {
  for (const [name, part] of Object.entries(ARTIFACT_PARTS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    console.error(`${name} …`);
    report(await part({ ingot, bare }));
  }
} finally {
  bare.stop();
  await ingot.stop();
}
