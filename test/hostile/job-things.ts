import { doneJob, manualJob, runningJob } from './taken-jobs.ts';
import { among, type Maker, type Thing, unique } from './thing.ts';

/** A runner says so; with that its machine is known, too. */
async function isKnown(world: Maker, token: unknown): Promise<boolean> {
  const body = { token, system_id: 'x' };
  return (await world.api('POST', '/runners/verify', { token: null, body })).status === 200;
}

function variable() {
  return { key: unique(), value: 'x' };
}

/** Pipelines, jobs and who runs them; the branch `feature` has a configuration. */
export const JOB_THINGS: readonly Thing[] = [
  {
    at: 'the token that makes runners',
    make: (world) => world.send('GET', '/projects/:id'),
    key: 'runners_token',
    isThere: async () => false, // there are routes that make it another
    needed: /^\/runners$/,
  },
  {
    at: '/projects/:id/pipelines/:pipeline_id',
    post: '/projects/:id/statuses/main',
    body: { state: 'success', name: 'ci', ref: 'main' },
    key: 'pipeline_id',
  },
  {
    at: '/projects/:id/jobs/:job_id',
    post: '/projects/:id/pipeline',
    body: { ref: 'feature' },
    key: 'id',
    listed: '/projects/:id/jobs',
  },
  {
    at: '/projects/:id/resource_groups/:key',
    key: 'key',
    listed: '/projects/:id/resource_groups',
  },
  { at: '/projects/:id/variables/:key', body: variable, key: 'key' },
  { at: '/groups/:id/variables/:key', body: variable, key: 'key' },
  { at: '/admin/ci/variables/:key', body: variable, key: 'key' },
  {
    at: '/projects/:id/triggers/:trigger_id',
    body: { description: 'hostile' },
    key: 'id',
    also: { 'the token of a trigger': 'token' },
    needed: /\/trigger\/pipeline$/,
  },
  {
    at: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
    body: { description: 'hostile', ref: 'main', cron: '0 0 1 1 *' },
    key: 'id',
  },
  { at: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key', body: variable, key: 'key' },
  {
    at: '/runners/:id',
    make: async (world) => {
      const project_id = world.get('/projects/:id/fork/:forked_from_id');
      const made = await world.send('POST', '/user/runners', { runner_type: 'project_type', project_id });
      await isKnown(world, made.token);
      return made;
    },
    key: 'id',
    also: { 'the token of a runner': 'token' },
    isThere: (world) => isKnown(world, world.get('the token of a runner')),
    needed: /\/runners/,
  },
  {
    at: '/projects/:id/runners/:runner_id',
    body: (made) => ({ runner_id: made.get('/runners/:id') }),
    key: 'id',
    isThere: among('/projects/:id/runners/:runner_id', '/projects/:id/runners'),
  },
  {
    at: '/projects/:id/job_token_scope/allowlist/:target_project_id',
    body: (made) => ({ target_project_id: made.get('/projects/:id/fork/:forked_from_id') }),
    key: 'target_project_id',
    isThere: among(
      '/projects/:id/job_token_scope/allowlist/:target_project_id',
      '/projects/:id/job_token_scope/allowlist',
    ),
  },
  {
    at: '/projects/:id/job_token_scope/groups_allowlist/:target_group_id',
    body: (made) => ({ target_group_id: made.get('/groups/:id') }),
    key: 'target_group_id',
    isThere: among(
      '/projects/:id/job_token_scope/groups_allowlist/:target_group_id',
      '/projects/:id/job_token_scope/groups_allowlist',
    ),
  },
  {
    at: 'a job that is done',
    make: doneJob,
    key: 'id',
    isThere: async (world) =>
      (
        await world.api(
          'GET',
          `/projects/${world.get('/projects/:id')}/jobs/${world.get('a job that is done')}/artifacts`,
        )
      ).status === 200,
    needed: /\/jobs\/.*(artifacts|trace|erase)/,
  },
  // these two are good for one call that is taken
  { at: 'a job to retry', make: doneJob, key: 'id', isThere: async () => false, needed: /\/retry$/ },
  { at: 'a job to play', make: manualJob, key: 'id', isThere: async () => false, needed: /\/play$/ },
  {
    at: 'a running job',
    make: runningJob,
    key: 'id',
    also: { 'the token of a running job': 'token' },
    isThere: async (world) => {
      const token = String(world.get('the token of a running job'));
      return (
        (await world.api('GET', '/job', { token: null, headers: { 'job-token': token } })).status === 200
      );
    },
    needed: /^\/jobs?\b/,
  },
];
