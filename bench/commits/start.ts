import { startGitea } from '../lib/gitea.ts';
import { Ingot, memoryOf } from '../lib/ingot.ts';
import { median, ms, type Row, times } from '../lib/measure.ts';

/** The threads of the code index wait a minute for more after the demo; a server at rest has neither them nor work. */
const REST_MS = 70_000;
const STARTS = 5;
/** So many of them are watched until they rest. */
const IDLE = 3;

/** From nothing to the first answer, and what it holds when nobody asks: against Gitea on a prepared folder. */
export async function startRows(): Promise<Row[]> {
  const starts: number[] = [];
  const idle: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    const ingot = await Ingot.start({ demo: true });
    starts.push(ingot.startMs);
    // What it loads at its first start must be done before it can be idle, and takes half a minute to be forgotten.
    if (i >= STARTS - IDLE) {
      await ingot.alone();
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      idle.push(memoryOf(ingot.pid));
    } else await ingot.settled();
    await ingot.stop();
  }
  const theirStarts: number[] = [];
  const theirIdle: number[] = [];
  for (let i = 0; i < 3; i++) {
    const gitea = await startGitea({});
    if (!gitea) return [];
    theirStarts.push(gitea.startMs);
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    theirIdle.push(memoryOf(gitea.pid));
    await gitea.stop();
  }
  const theirStart = median(theirStarts);
  const theirs = median(theirIdle);
  const ours = median(starts);
  const held = median(idle);
  return [
    {
      what: 'start on an empty folder to the first answer',
      ours: ms(ours),
      theirs: `${ms(theirStart)} (Gitea, prepared)`,
      ratio: times(ours / theirStart),
      goal: 'under 1x',
      met: ours < theirStart,
    },
    {
      what: 'idle memory',
      ours: `${held.toFixed(0)} MB`,
      theirs: `${theirs.toFixed(0)} MB (Gitea)`,
      ratio: times(held / theirs),
      goal: 'under 0.7x',
      met: held / theirs < 0.7,
    },
  ];
}
