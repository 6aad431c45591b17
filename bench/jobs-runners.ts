import { idleRunnersRow } from './jobs/idle-runners.ts';
import { takeToFinishRows } from './jobs/take-to-finish.ts';
import { Ingot } from './lib/ingot.ts';
import { type Row, report } from './lib/measure.ts';

/**
 * Runners under load, as ratios in one run: without anything that executes, only the protocol.
 *
 *   node bench/jobs-runners.ts [PART ...]
 *
 * Parts: idle, jobs; all of them without a choice.
 */

const PARTS: Record<string, (bench: { ingot: Ingot }) => Promise<Row[]>> = {
  idle: idleRunnersRow,
  jobs: takeToFinishRows,
};

const chosen = process.argv.slice(2);
for (const [name, part] of Object.entries(PARTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.error(`${name} …`);
  const ingot = await Ingot.start();
  try {
    report(await part({ ingot }));
  } finally {
    await ingot.stop();
  }
}
