interface Run {
  started_at: number | null;
  finished_at: number | null;
}

/** Whole seconds in which at least one of the jobs ran: jobs side by side count once, pauses between them not at all. */
export function runningSeconds(jobs: readonly Run[]): number {
  const runs = jobs
    .flatMap(({ started_at: from, finished_at: to }) => (from !== null && to !== null ? [{ from, to }] : []))
    .sort((a, b) => a.from - b.from);
  let total = 0;
  let covered = -Infinity;
  for (const { from, to } of runs) {
    total += Math.max(0, to - Math.max(from, covered));
    covered = Math.max(covered, to);
  }
  return Math.floor(total / 1000);
}
