import type { Reply, TestService } from '../support/service.ts';
import { doneJob, runningJob } from './taken-jobs.ts';

/** Addresses and ids of what a world has, by the template that they stand for. */
export interface Made {
  get(template: string): string | number | undefined;
}

/** Calls the service as a world does. */
export interface Maker extends Made {
  api: TestService['api'];
  /** The body of the answer; throws where it is none of success. Parameters of the address stand for what is there. */
  send(method: string, template: string, body?: object): Promise<Reply['body']>;
}

/** One thing for the last parameter of a template, or one that has a name of its own. */
export interface Thing {
  at: string;
  /** Where it is made; the address without its last parameter by default. */
  post?: string;
  body?: object | ((made: Made) => object);
  /** Of the answer; or of the first of the list. */
  key: string;
  /** What else of the answer is remembered, by the name that it gets. */
  also?: Record<string, string>;
  /** What brings it about by changing the thing that it stands in. */
  changes?: (made: Made) => object[];
  /** It came about by itself, or its making does not answer it: the first of this list. */
  listed?: string;
  /** What takes more than a call. */
  make?: (world: Maker) => Promise<object>;
  /** It is there when GET on its address says so, or else this. */
  isThere?: (world: Maker) => Promise<boolean>;
  /** Routes that need it and whose address does not say so. */
  needed?: RegExp;
}

/** For what cannot be read by itself: it is in a list. */
const among =
  (at: string, list: string, key = 'id') =>
  async (world: Maker) =>
    (await world.send('GET', `${list}?per_page=100`)).some(
      (each: Record<string, unknown>) => each[key] === world.get(at),
    );

/** A runner says so; with that its machine is known, too. */
async function isKnown(world: Maker, token: unknown): Promise<boolean> {
  const body = { token, system_id: 'x' };
  return (await world.api('POST', '/runners/verify', { token: null, body })).status === 200;
}

/** A name that nothing has. */
export const unique = () => `h${Math.random().toString(36).slice(2)}`;
const place = () => ({ name: unique(), path: unique(), visibility: 'public' });
const repository = () => ({ ...place(), initialize_with_readme: true });
const IN_A_MONTH = new Date(Date.now() + 30 * 24 * 60 * 60_000).toISOString().slice(0, 10);
const offered = {
  actions: [
    { action: 'create', file_path: 'offered', content: 'x' },
    {
      action: 'create',
      file_path: '.gitlab-ci.yml',
      content:
        'build: { script: make, resource_group: one, artifacts: { paths: [out] } }\n' +
        'deploy: { script: make, when: manual, tags: [deploy] }\n',
    },
  ],
};
const asked = { name: 'hostile', scopes: ['api'], expires_at: IN_A_MONTH };

const NOTED = [
  '/projects/:id/issues/:issue_iid',
  '/projects/:id/merge_requests/:merge_request_iid',
  '/projects/:id/snippets/:snippet_id',
];
const LABELLED = NOTED.slice(0, 2);

/** What routes need to get past 404, each after what it stands in. */
export const THINGS: readonly Thing[] = [
  {
    at: '/users/:id',
    body: () => ({ name: 'H', username: unique(), email: `${unique()}@x.test`, force_random_password: true }),
    key: 'id',
  },
  { at: '/users/:user_id/impersonation_tokens/:impersonation_token_id', body: asked, key: 'id' },
  {
    at: '/personal_access_tokens/:id',
    post: '/users/:user_id/personal_access_tokens',
    body: asked,
    key: 'id',
  },
  {
    at: '/users/:id/emails/:email_id',
    body: () => ({ email: `${unique()}@x.test` }),
    key: 'id',
    isThere: among('/users/:id/emails/:email_id', '/users/:id/emails'),
  },
  // the mail that asks whose address that is
  { at: '/admin/mails/:mail_id', key: 'id', listed: '/admin/mails' },
  {
    at: '/user/emails/:email_id',
    post: '/users/1/emails', // nobody writes to what an administrator vouches for
    body: () => ({ email: `${unique()}@x.test`, skip_confirmation: true }),
    key: 'id',
  },
  { at: '/groups/:id', body: place, key: 'id' },
  { at: '/groups/:id/labels/:name', body: () => ({ name: unique(), color: '#ffffff' }), key: 'name' },
  { at: '/groups/:id/milestones/:milestone_id', body: () => ({ title: unique() }), key: 'id' },
  { at: '/groups/:id/members/:user_id', body: member, key: 'id' },
  { at: '/namespaces/:id', post: '/groups', body: place, key: 'id' },
  { at: '/projects/:id', body: repository, key: 'id' },
  {
    at: 'the token that makes runners',
    make: (world) => world.send('GET', '/projects/:id'),
    key: 'runners_token',
    isThere: async () => false, // there are routes that make it another
    needed: /^\/runners$/,
  },
  { at: '/projects/:id/fork/:forked_from_id', post: '/projects', body: repository, key: 'id' },
  { at: '/projects/:id/labels/:name', body: () => ({ name: unique(), color: '#ffffff' }), key: 'name' },
  { at: '/projects/:id/milestones/:milestone_id', body: () => ({ title: unique() }), key: 'id' },
  { at: '/projects/:id/members/:user_id', body: member, key: 'id' },
  {
    at: '/projects/:id/repository/branches/:branch',
    post: '/projects/:id/repository/commits',
    body: { ...offered, branch: 'feature', start_branch: 'main', commit_message: 'hostile' },
    key: 'name',
    listed: '/projects/:id/repository/branches',
  },
  {
    at: '/projects/:id/repository/blobs/:sha',
    key: 'id',
    listed: '/projects/:id/repository/tree',
  },
  {
    at: '/projects/:id/repository/tags/:tag_name',
    body: { tag_name: 'v1', ref: 'main' },
    key: 'name',
  },
  { at: '/projects/:id/protected_branches/:name', body: { name: 'x-*' }, key: 'name' },
  { at: '/projects/:id/protected_tags/:name', body: { name: 'v*' }, key: 'name' },
  {
    at: '/projects/:id/repository/commits/:sha/discussions/:discussion_id',
    body: { body: 'hm' },
    key: 'id',
  },
  {
    at: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes/:note_id',
    body: { body: 'hm' },
    key: 'id',
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
  { at: '/issues/:id', post: '/projects/:id/issues', body: { title: 'other' }, key: 'id' },
  { at: '/projects/:id/issues/:issue_iid', body: { title: 'hostile' }, key: 'iid' },
  {
    at: '/projects/:id/issues/:issue_iid/links/:issue_link_id',
    body: (made) => ({ target_project_id: made.get('/projects/:id'), target_issue_iid: 1 }),
    key: 'issue_link_id',
    listed: '/projects/:id/issues/:issue_iid/links',
  },
  {
    at: '/projects/:id/merge_requests/:merge_request_iid',
    body: { title: 'hostile', source_branch: 'feature', target_branch: 'main' },
    key: 'iid',
  },
  {
    at: '/projects/:id/merge_requests/:merge_request_iid/versions/:version_id',
    key: 'id',
    listed: '/projects/:id/merge_requests/:merge_request_iid/versions',
  },
  {
    at: '/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id',
    body: { note: 'hm' },
    key: 'id',
  },
  { at: '/snippets/:id', body: snippet, key: 'id' },
  { at: '/projects/:id/snippets/:snippet_id', body: snippet, key: 'id' },
  { at: '/projects/:id/wikis/:slug', body: () => ({ title: unique(), content: 'x' }), key: 'slug' },
  ...NOTED.flatMap(talkOf),
  ...LABELLED.flatMap(eventsOf),
];

function variable() {
  return { key: unique(), value: 'x' };
}

function snippet() {
  return { title: 'hostile', file_name: 'README.md', content: 'x', visibility: 'public' };
}

function member(made: Made) {
  return { user_id: made.get('/users/:id'), access_level: 30 };
}

function talkOf(at: string): Thing[] {
  const award = (of: string) => ({ at: `${of}/award_emoji/:award_id`, body: { name: 'star' }, key: 'id' });
  const discussion = `${at}/discussions/:discussion_id`;
  return [
    award(at),
    { at: `${at}/notes/:note_id`, body: { body: 'hm' }, key: 'id' },
    award(`${at}/notes/:note_id`),
    { at: discussion, body: { body: 'hm' }, key: 'id' },
    { at: `${discussion}/notes/:note_id`, body: { body: 'hm' }, key: 'id' },
  ];
}

/** Each is there once its thing has been labelled, planned and closed. */
function eventsOf(at: string): Thing[] {
  const changes: Record<string, NonNullable<Thing['changes']>> = {
    label: (made) => [{ add_labels: made.get('/projects/:id/labels/:name') }],
    milestone: (made) => [{ milestone_id: made.get('/projects/:id/milestones/:milestone_id') }],
    state: () => [{ state_event: 'close' }, { state_event: 'reopen' }],
  };
  return Object.entries(changes).map(([kind, change]) => ({
    at: `${at}/resource_${kind}_events/:event_id`,
    changes: change,
    key: 'id',
    listed: `${at}/resource_${kind}_events`,
  }));
}
