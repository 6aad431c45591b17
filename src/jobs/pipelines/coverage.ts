/** Of a pipeline: the mean over its jobs that report one, null when none does. */
export function averageCoverage(jobs: readonly { coverage: number | null }[]): number | null {
  const values = jobs.flatMap(({ coverage }) => coverage ?? []);
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
