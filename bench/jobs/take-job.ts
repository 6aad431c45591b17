import type { Ingot } from '../lib/ingot.ts';

export interface TakenJob {
  id: number;
  token: string;
  project: number;
}

/** Jobs as a runner has them, by the runner's own protocol, with nothing that executes them. */
export async function takeJobs(ingot: Ingot, amount: number, name = 'artifacts'): Promise<TakenJob[]> {
  const project = await ingot.api<{ id: number }>('POST', '/projects', { name, default_branch: 'main' });
  const jobs = Array.from({ length: amount }, (_, i) => `job-${i}:\n  script: ["true"]\n`);
  const runner = await ingot.api<{ token: string }>('POST', '/user/runners', {
    runner_type: 'project_type',
    project_id: project.id,
  });
  await ingot.api('POST', `/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'jobs',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: jobs.join('') }],
  });
  await ingot.settled();
  const taken: TakenJob[] = [];
  while (taken.length < amount) {
    const reply = await fetch(`${ingot.url}/api/v4/jobs/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: runner.token, info: { features: {} } }),
    });
    if (reply.status !== 201) throw new Error(`no job: ${reply.status} ${await reply.text()}`);
    const { id, token } = (await reply.json()) as { id: number; token: string };
    taken.push({ id, token, project: project.id });
  }
  return taken;
}
