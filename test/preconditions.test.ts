import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startService, type TestService } from './support/service.ts';

const LONG_AGO = { 'if-unmodified-since': 'Sat, 29 Oct 1994 19:43:31 GMT' };
const IN_A_MONTH = new Date(Date.now() + 30 * 24 * 60 * 60_000).toISOString().slice(0, 10);

describe('DELETE with If-Unmodified-Since', () => {
  let service: TestService;
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    service.api(method, path, { ...(body && { body }), headers });
  /** Makes what a row deletes; gives its address. */
  const things: [string, (project: string) => Promise<string>][] = [
    [
      'branch',
      async (project) => {
        await call('POST', `${project}/repository/branches`, { branch: 'b', ref: 'main' });
        return `${project}/repository/branches/b`;
      },
    ],
    [
      'tag',
      async (project) => {
        await call('POST', `${project}/repository/tags`, { tag_name: 't', ref: 'main' });
        return `${project}/repository/tags/t`;
      },
    ],
    [
      'protected branch',
      async (project) => {
        await call('POST', `${project}/protected_branches`, { name: 'x-*' });
        return `${project}/protected_branches/x-*`;
      },
    ],
    [
      'protected tag',
      async (project) => {
        await call('POST', `${project}/protected_tags`, { name: 'v*' });
        return `${project}/protected_tags/v*`;
      },
    ],
    [
      'pipeline',
      async (project) => {
        const status = { state: 'success', name: 'ci' };
        const { body } = await call('POST', `${project}/statuses/main`, status);
        return `${project}/pipelines/${body.pipeline_id}`;
      },
    ],
    [
      'CI/CD variable',
      async (project) => {
        await call('POST', `${project}/variables`, { key: 'K', value: 'v' });
        return `${project}/variables/K`;
      },
    ],
    [
      'trigger token',
      async (project) => {
        const { body } = await call('POST', `${project}/triggers`, { description: 't' });
        return `${project}/triggers/${body.id}`;
      },
    ],
    [
      'pipeline schedule',
      async (project) => {
        const timing = { description: 's', ref: 'main', cron: '0 0 1 1 *' };
        const { body } = await call('POST', `${project}/pipeline_schedules`, timing);
        return `${project}/pipeline_schedules/${body.id}`;
      },
    ],
    [
      'issue',
      async (project) => {
        const { body } = await call('POST', `${project}/issues`, { title: 'i' });
        return `${project}/issues/${body.iid}`;
      },
    ],
    [
      'note on an issue',
      async (project) => {
        const { body } = await call('POST', `${project}/issues`, { title: 'i' });
        const notes = `${project}/issues/${body.iid}/notes`;
        return `${notes}/${(await call('POST', notes, { body: 'hm' })).body.id}`;
      },
    ],
    [
      'label',
      async (project) => {
        await call('POST', `${project}/labels`, { name: 'l', color: '#ffffff' });
        return `${project}/labels/l`;
      },
    ],
    [
      'milestone',
      async (project) => {
        const { body } = await call('POST', `${project}/milestones`, { title: 'm' });
        return `${project}/milestones/${body.id}`;
      },
    ],
    [
      'snippet of a project',
      async (project) => {
        const asked = { title: 's', file_name: 'f', content: 'x', visibility: 'private' };
        const { body } = await call('POST', `${project}/snippets`, asked);
        return `${project}/snippets/${body.id}`;
      },
    ],
    [
      'snippet',
      async () => {
        const asked = { title: 's', file_name: 'f', content: 'x', visibility: 'private' };
        return `/snippets/${(await call('POST', '/snippets', asked)).body.id}`;
      },
    ],
    [
      'reaction',
      async (project) => {
        const { body } = await call('POST', `${project}/issues`, { title: 'i' });
        const reactions = `${project}/issues/${body.iid}/award_emoji`;
        return `${reactions}/${(await call('POST', reactions, { name: 'star' })).body.id}`;
      },
    ],
    [
      'merge request',
      async (project) => {
        await call('POST', `${project}/repository/branches`, { branch: 'work', ref: 'main' });
        const file = { branch: 'work', content: 'x', commit_message: 'm' };
        await call('POST', `${project}/repository/files/f`, file);
        const asked = { source_branch: 'work', target_branch: 'main', title: 'm' };
        const { body } = await call('POST', `${project}/merge_requests`, asked);
        return `${project}/merge_requests/${body.iid}`;
      },
    ],
    [
      'note on a commit',
      async (project) => {
        const commit = `${project}/repository/commits/main`;
        const { body } = await call('POST', `${commit}/discussions`, { body: 'hm' });
        return `${commit}/discussions/${body.id}/notes/${body.notes[0].id}`;
      },
    ],
    [
      'token',
      async () => {
        const asked = { name: 't', scopes: ['api'], expires_at: IN_A_MONTH };
        const { body } = await call('POST', '/users/1/personal_access_tokens', asked);
        return `/personal_access_tokens/${body.id}`;
      },
    ],
    [
      'impersonation token',
      async () => {
        const asked = { name: 't', scopes: ['api'], expires_at: IN_A_MONTH };
        const { body } = await call('POST', '/users/1/impersonation_tokens', asked);
        return `/users/1/impersonation_tokens/${body.id}`;
      },
    ],
    [
      'user',
      async () => {
        const asked = { name: 'U', username: 'u', email: 'u@x.test', password: 'long-enough-7' };
        return `/users/${(await call('POST', '/users', asked)).body.id}`;
      },
    ],
    ['group', async () => `/groups/${(await call('POST', '/groups', { name: 'g', path: 'g' })).body.id}`],
    ['project', async (project) => project],
  ];

  let project = '';
  before(async () => {
    service = await startService();
    const made = await call('POST', '/projects', { name: 'p', initialize_with_readme: true });
    project = `/projects/${made.body.id}`;
  });
  after(() => service.close());

  for (const [kind, make] of things) {
    it(`keeps a ${kind} that has changed since, and deletes it otherwise`, async () => {
      const path = await make(project);
      const refused = await call('DELETE', path, undefined, LONG_AGO);
      assert.deepEqual([refused.status, refused.body], [412, { message: '412 Precondition Failed' }]);
      const later = { 'if-unmodified-since': new Date(Date.now() + 60_000).toUTCString() };
      const deleted = await call('DELETE', path, undefined, later);
      assert.ok([202, 204].includes(deleted.status), deleted.text);
    });
  }

  it('takes a date that it cannot read for none', async () => {
    const path = `/groups/${(await call('POST', '/groups', { name: 'h', path: 'h' })).body.id}`;
    assert.equal((await call('DELETE', path, undefined, { 'if-unmodified-since': 'soon' })).status, 202);
  });
});
