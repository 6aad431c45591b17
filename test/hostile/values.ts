import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORM_TYPE, formOf } from '../../src/jobs/artifacts/testing/upload.ts';
import { ARTIFACT } from './taken-jobs.ts';
import { type Made, unique } from './thing.ts';

/** What a command line makes that should never have run. */
export const CANARY = join(tmpdir(), `ingot-canary-${process.pid}`);

export const MEGABYTE = 'x'.repeat(1024 * 1024);

/** What somebody might send, under a name for the report. */
export const HOSTILE: readonly (readonly [what: string, value: unknown])[] = [
  ['NUL', 'a\0b'],
  ['half a surrogate', 'a\ud800b'],
  ['dots', '../../../etc/passwd'],
  ['an absolute path', '/etc/passwd'],
  ['an option', `--output=${CANARY}`],
  ['a command', `$(touch ${CANARY})`],
  ['a git folder', '.GIT/config'],
  ['a ref that climbs', 'refs/heads/../../x'],
  ['a line break', 'a\r\nX-Injected: 1'],
  ['a megabyte', MEGABYTE],
  ['a huge number', '99999999999999999999999'],
  ['a negative number', -1],
  ['infinity', 1e308],
  ['a hash', { a: { b: 1 } }],
  ['a list', [[], [null]]],
  ['a list of nothing', [null]],
  ['nothing', ''],
  ['null', null],
  ['a quote', `'; drop table users; --`],
  ['a pattern', '%_*[a-z](((('],
];

/** What a database may take otherwise than another: the rest has been refused, or is git's, before it gets there. */
export const OF_DATABASES = new Set([
  'NUL',
  'half a surrogate',
  'a megabyte',
  'a huge number',
  'a negative number',
  'infinity',
  'nothing',
  'null',
  'a quote',
  'a pattern',
]);

/** What a route needs to get past its other parameters, where it is no thing of the fixtures. */
export const SANE: Readonly<Record<string, unknown>> = {
  branch: 'main',
  ref: 'main',
  ref_name: 'main',
  sha: 'main',
  start_branch: 'main',
  file_path: 'README.md',
  commit_message: 'hostile',
  message: 'hostile',
  note: 'hostile',
  body: 'hostile',
  state: 'success',
  from: 'main',
  to: 'main',
  title: 'hostile',
  search: 'hostile',
  source_branch: 'feature',
  target_branch: 'main',
  content: 'x',
  file_name: 'hostile',
  visibility: 'public',
  duration: '1h',
  color: '#ffffff',
  actions: [{ action: 'create', file_path: 'hostile', content: 'x' }],
  access_level: 30,
  email: 'hostile@example.com',
  username: 'hostile',
  password: 'hostile-passphrase',
  scopes: ['api'],
  name: 'thumbsup',
  path: 'hostile',
  tag_name: 'hostile',
  refs: ['main', 'main'],
};

/** What a route needs besides what its schema requires: one parameter of several, a name that nothing has, or one that is always there. */
export const FRESH: Readonly<Record<string, (made: Made) => Record<string, unknown>>> = {
  'GET /templates/gitlab_ci_ymls/:name': () => ({ name: 'Workflows/Branch-Pipelines' }),
  'POST /users': () => ({ username: unique(), email: `${unique()}@x.test`, force_random_password: true }),
  'POST /groups': () => ({ path: unique() }),
  'POST /projects': () => ({ name: unique() }),
  'POST /projects/user/:user_id': () => ({ name: unique() }),
  'POST /projects/:id/fork': () => ({ name: unique(), path: unique() }),
  'POST /projects/:id/repository/branches': () => ({ branch: unique() }),
  'POST /projects/:id/repository/tags': () => ({ tag_name: unique() }),
  'POST /projects/:id/repository/files/:file_path': () => ({ file_path: unique() }),
  'POST /projects/:id/repository/commits': () => ({
    actions: [{ action: 'create', file_path: unique(), content: 'x' }],
  }),
  'POST /projects/:id/protected_branches': () => ({ name: unique() }),
  'POST /projects/:id/protected_tags': () => ({ name: unique() }),
  'POST /projects/:id/labels': () => ({ name: unique() }),
  'POST /groups/:id/labels': () => ({ name: unique() }),
  'POST /projects/:id/milestones': () => ({ title: unique() }),
  'POST /groups/:id/milestones': () => ({ title: unique() }),
  'POST /projects/:id/merge_requests': () => ({ source_branch: 'main', target_branch: 'feature' }),
  'POST /projects/:id/wikis': () => ({ title: unique() }),
  'POST /snippets': () => ({ file_name: 'x', content: 'x' }),
  'POST /projects/:id/snippets': () => ({ file_name: 'x', content: 'x' }),
  'POST /projects/:id/members': (made) => ({ user_id: made.get('a user who belongs nowhere') }),
  'POST /groups/:id/members': (made) => ({ user_id: made.get('a user who belongs nowhere') }),
  'PUT /projects/:id/labels': (made) => ({ name: made.get('/projects/:id/labels/:name'), description: 'x' }),
  'PUT /groups/:id/labels': (made) => ({ name: made.get('/groups/:id/labels/:name'), description: 'x' }),
  'DELETE /projects/:id/labels': (made) => ({ name: made.get('/projects/:id/labels/:name') }),
  'DELETE /groups/:id/labels': (made) => ({ name: made.get('/groups/:id/labels/:name') }),
  'PUT /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id': () => ({
    resolved: true,
  }),
  'PUT /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes/:note_id': () => ({
    body: 'x',
  }),
  'PUT /projects/:id/labels/:name': () => ({ description: 'x' }),
  'PUT /runners/:id': () => ({ description: 'x' }),
  'PATCH /projects/:id/job_token_scope': () => ({ enabled: true }),
  'PUT /groups/:id/labels/:name': () => ({ description: 'x' }),
  'PUT /projects/:id/issues/:issue_iid/reorder': (made) => ({ move_after_id: made.get('/issues/:id') }),
  ...Object.fromEntries(
    ['/projects/:id/trigger/pipeline', '/projects/:id/ref/:ref/trigger/pipeline'].map((path) => [
      `POST ${path}`,
      (made: Made) => ({ token: made.get('the token of a trigger'), ref: 'feature' }),
    ]),
  ),
  ...Object.fromEntries(
    [
      'GET /projects/:id/jobs/:job_id/trace',
      'GET /projects/:id/jobs/:job_id/artifacts',
      'GET /projects/:id/jobs/:job_id/artifacts/tree',
      'GET /projects/:id/jobs/:job_id/artifacts/*',
      'POST /projects/:id/jobs/:job_id/artifacts/keep',
      'POST /projects/:id/jobs/:job_id/erase',
      'DELETE /projects/:id/jobs/:job_id/artifacts',
    ].map((name) => [name, (made: Made) => ({ job_id: made.get('a job that is done'), '*': ARTIFACT })]),
  ),
  'POST /projects/:id/jobs/:job_id/retry': (made) => ({ job_id: made.get('a job to retry') }),
  'POST /projects/:id/jobs/:job_id/play': (made) => ({ job_id: made.get('a job to play') }),
  'GET /projects/:id/jobs/artifacts/*': () => ({ '*': `feature/raw/${ARTIFACT}`, job: 'build' }),
  ...Object.fromEntries(
    [
      'POST /runners/verify',
      'POST /runners/reset_authentication_token',
      'DELETE /runners',
      'DELETE /runners/managers',
    ].map((name) => [name, (made: Made) => ({ token: made.get('the token of a runner') })]),
  ),
  'POST /runners': (made) => ({ token: made.get('the token that makes runners') }),
  'PUT /jobs/:id': (made) => ({ id: made.get('a running job'), state: 'running' }),
  'GET /jobs/:id/artifacts': (made) => ({ id: made.get('a job that is done') }),
  ...Object.fromEntries(
    ['PATCH /jobs/:id/trace', 'POST /jobs/:id/artifacts', 'POST /jobs/:id/artifacts/authorize'].map(
      (name) => [name, (made: Made) => ({ id: made.get('a running job') })],
    ),
  ),
  ...Object.fromEntries(
    [
      '/projects/:id/milestones/:milestone_id',
      '/groups/:id/milestones/:milestone_id',
      '/projects/:id/issues/:issue_iid',
      '/projects/:id/merge_requests/:merge_request_iid',
      '/projects/:id/snippets/:snippet_id',
      '/snippets/:id',
      '/projects/:id/wikis/:slug',
    ].map((path) => [`PUT ${path}`, () => ({ title: unique() })]),
  ),
};

/** Routes that ask which job calls, not which person. */
export const AS_JOB = new Set([
  'GET /job',
  'GET /job/allowed_agents',
  'GET /jobs/:id/artifacts',
  'PUT /jobs/:id',
  'PATCH /jobs/:id/trace',
  'POST /jobs/:id/artifacts',
  'POST /jobs/:id/artifacts/authorize',
]);

const EMPTY_ZIP = Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex');

/** What routes read that take bytes; their parameters stand in the query. */
export const BYTES: Readonly<Record<string, { payload: Buffer; headers: Record<string, string> }>> = {
  'PATCH /jobs/:id/trace': {
    payload: Buffer.from('hm'),
    headers: { 'content-type': 'text/plain', 'content-range': '0-1' },
  },
  'POST /jobs/:id/artifacts': { payload: formOf(EMPTY_ZIP), headers: { 'content-type': FORM_TYPE } },
};
