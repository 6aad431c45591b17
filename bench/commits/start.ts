import { startGitea } from '../lib/gitea.ts';
import { Ingot, memoryOf } from '../lib/ingot.ts';
import { median, ms, type Row, times } from '../lib/measure.ts';

/** From nothing to the first answer, and what it holds when nobody asks: against Gitea on a prepared folder. */
export async function startRows(): Promise<Row[]> {
  const starts: number[] = [];
  const idle: number[] = [];
  for (let i = 0; i < 5; i++) {
    const ingot = await Ingot.start({ demo: i === 0 });
    starts.push(ingot.startMs);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    idle.push(memoryOf(ingot.pid));
    await ingot.stop();
  }
  const gitea = await startGitea({});
  if (!gitea) return [];
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const theirs = memoryOf(gitea.pid);
  await gitea.stop();
  const ours = median(starts);
  const held = median(idle);
  return [
    {
      what: 'start on an empty folder to the first answer',
      ours: ms(ours),
      theirs: `${ms(gitea.startMs)} (Gitea, prepared)`,
      ratio: times(ours / gitea.startMs),
      goal: 'under 1x',
      met: ours < gitea.startMs,
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
