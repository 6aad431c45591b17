import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { NewProject } from '../core/projects/create.ts';
import type { WorkTree } from '../git/testing.ts';
import { type Forge, openForge, type Person } from './testing.ts';

const READS = [
  '',
  '/main',
  '/main/diff',
  '/main/refs',
  '/main/sequence',
  '/main/comments',
  '/main/discussions',
  '/main/merge_requests',
];

describe('who may read commits', () => {
  let forge: Forge;
  let work: WorkTree;
  let people: Record<'guest' | 'reporter' | 'stranger', Person>;

  before(async () => {
    forge = await openForge();
    work = await forge.workTree();
    await work.save({ a: 'a\n' }, 'First');
    const [guest, reporter, stranger] = await Promise.all(
      ['guest', 'reporter', 'stranger'].map(forge.person),
    );
    people = { guest: guest!, reporter: reporter!, stranger: stranger! };
  });
  after(() => forge[Symbol.asyncDispose]());

  const forbidden = { message: '403 Forbidden' };
  const noProject = { message: '404 Project Not Found' };
  const noRepository = { message: '404 Repository Not Found' };
  type Answer = [status: number, body?: object];
  const ok: Answer = [200];
  const members = { repository_access_level: 'private' } as const;
  const disabled = { repository_access_level: 'disabled' } as const;

  const cases: [
    name: string,
    project: NewProject,
    answers: Record<'guest' | 'reporter' | 'stranger', Answer>,
  ][] = [
    ['a public project', { visibility: 'public' }, { guest: ok, reporter: ok, stranger: ok }],
    ['an internal project', { visibility: 'internal' }, { guest: ok, reporter: ok, stranger: ok }],
    [
      'a private project',
      { visibility: 'private' },
      { guest: [403, forbidden], reporter: ok, stranger: [404, noProject] },
    ],
    [
      'a repository for members',
      { visibility: 'public', settings: members },
      { guest: ok, reporter: ok, stranger: [404, noRepository] },
    ],
    [
      'no repository',
      { visibility: 'public', settings: disabled },
      { guest: [404, noRepository], reporter: [404, noRepository], stranger: [404, noRepository] },
    ],
  ];
  for (const [name, input, answers] of cases) {
    it(`in ${name}`, async () => {
      const target = await forge.project({ ...input, work });
      await target.admit(people.guest, 'guest');
      await target.admit(people.reporter, 'reporter');
      for (const who of ['guest', 'reporter', 'stranger'] as const) {
        for (const path of READS) {
          const reply = await target.commits('GET', path, { token: people[who].token });
          const [status, body] = answers[who];
          assert.equal(reply.status, status, `${who} ${path} ${reply.text}`);
          if (body) assert.deepEqual(reply.body, body);
        }
      }
    });
  }

  it('never without a token, and never before the right is asked', async () => {
    const open = await forge.project({ visibility: 'public', work });
    const closed = await forge.project({ work });
    for (const path of READS) {
      assert.equal((await open.commits('GET', path, { token: null })).status, 401);
      const reply = await closed.commits('GET', `${path}?page=0&stats=maybe`, {
        token: people.stranger.token,
      });
      assert.deepEqual([reply.status, reply.body], [404, noProject]);
    }
  });

  it('not for writing into an archived project', async () => {
    const target = await forge.project({ work });
    await forge.service.api('POST', `/projects/${target.project.id}/archive`);
    const body = { note: 'x', branch: 'main', state: 'success' };
    for (const path of ['/main/comments', '/main/cherry_pick', '/main/revert']) {
      assert.equal((await target.commits('POST', path, { body })).status, 403, path);
    }
    assert.equal((await target.call('POST', '/statuses/main', { body })).status, 403);
    assert.equal((await target.commits('GET', '/main')).status, 200);
  });
});
