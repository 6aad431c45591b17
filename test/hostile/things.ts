import { JOB_THINGS } from './job-things.ts';
import { among, type Made, type Thing, unique } from './thing.ts';

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
  { at: '/users/:id', body: person, key: 'id' },
  {
    at: 'a user who belongs nowhere',
    post: '/users',
    body: person,
    key: 'id',
    isThere: async () => false, // who was added is a member from then on
    needed: /\/members$/,
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
  { at: '/projects/:id/fork/:forked_from_id', post: '/projects', body: repository, key: 'id' },
  {
    at: '/projects/:id/labels/:name',
    body: () => ({ name: unique(), color: '#ffffff' }),
    key: 'name',
    // a promoted one is still read here, but has become the group's
    isThere: among(
      '/projects/:id/labels/:name',
      '/projects/:id/labels?include_ancestor_groups=false',
      'name',
    ),
  },
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
  ...JOB_THINGS,
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

function snippet() {
  return { title: 'hostile', file_name: 'README.md', content: 'x', visibility: 'public' };
}

function person() {
  return { name: 'H', username: unique(), email: `${unique()}@x.test`, force_random_password: true };
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
