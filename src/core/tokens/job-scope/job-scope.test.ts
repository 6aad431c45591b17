import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../../test/support/seed.ts';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { Level } from '../../access/levels.ts';
import type { ProjectWithNamespace } from '../../projects/find.ts';
import { issueJobToken } from '../job-tokens.ts';

for (const kind of dialects) {
  describe(`whose jobs reach a project, on ${kind}`, () => {
    let service: TestService;
    let owner: Person;
    let developer: Person;
    let home: ProjectWithNamespace;
    let target: ProjectWithNamespace;
    let jobId = 0;

    before(async () => {
      service = await startService({ kind });
      owner = await seedUser(service.core, 'owner');
      developer = await seedUser(service.core, 'developer');
      const ownerId = owner.user.id;
      home = await seedProject(service.core, 'home', { ownerId });
      target = await seedProject(service.core, 'target', { ownerId });
      await seedMember(service.core, target, developer.user, Level.developer);
      await seedCommit(service.core, target, { branch: 'main', files: { a: '1' } });
    });
    after(() => service.close());

    /** Of a running job of the owner's. */
    const jobToken = (project = home, userId = owner.user.id): Promise<string> =>
      service.core.database.transaction((tx) =>
        issueJobToken(tx, { jobId: ++jobId, userId, projectId: project.id }, service.core.clock.now()),
      );
    const read = (token: string, project = target) =>
      service.api('GET', `/projects/${project.id}/pipelines`, {
        token: null,
        headers: { 'job-token': token },
      });
    const clone = (token: string, project = target) =>
      fetch(`${service.baseUrl}/${project.full_path}.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${Buffer.from(`gitlab-ci-token:${token}`).toString('base64')}` },
      });
    const scope = (method: string, path: string, options: object = {}) =>
      service.api(method, `/projects/${target.id}/job_token_scope${path}`, {
        token: owner.token,
        ...options,
      });

    it('is the project’s own and nobody else’s at first', async () => {
      const token = await jobToken();
      assert.equal((await read(token, home)).status, 200);
      const refused = await read(token);
      const text = 'Authentication by CI/CD job token not allowed from home to target.';
      assert.deepEqual([refused.status, refused.body], [403, { message: `403 Forbidden - ${text}` }]);
      const git = await clone(token);
      assert.deepEqual([git.status, await git.text()], [403, text]);
    });

    it('of an administrator is the project’s own, too, and none where it is not let in', async () => {
      const token = await jobToken(home, 1);
      assert.equal((await read(token, home)).status, 200);
      // empty so far, but not hidden
      assert.deepEqual([(await clone(token, home)).status, (await clone(token)).status], [200, 403]);
      assert.equal((await read(token)).status, 403);
      const job = { token: null, headers: { 'job-token': token } };
      assert.equal((await service.api('GET', `/projects/${home.id}/pipelines?sudo=owner`, job)).status, 403);
    });

    it('widens by the allow list of projects, and narrows again', async () => {
      const token = await jobToken();
      const body = { target_project_id: home.id };
      const allowed = await scope('POST', '/allowlist', { body });
      assert.deepEqual(
        [allowed.status, allowed.body],
        [201, { source_project_id: target.id, target_project_id: home.id }],
      );
      assert.deepEqual([(await read(token)).status, (await clone(token)).status], [200, 200]);
      const listed = (await scope('GET', '/allowlist')).body.map((each: { id: number }) => each.id);
      assert.deepEqual(listed, [target.id, home.id]);
      for (const id of [home.id, target.id]) {
        const again = await scope('POST', '/allowlist', { body: { target_project_id: id } });
        assert.deepEqual(
          [again.status, again.body],
          [400, { message: 'Target project is already in the job token scope' }],
        );
      }
      assert.equal((await scope('DELETE', `/allowlist/${home.id}`)).status, 204);
      assert.equal((await scope('DELETE', `/allowlist/${home.id}`)).status, 404);
      assert.deepEqual([(await read(token)).status, (await clone(token)).status], [403, 403]);
    });

    it('widens by a group for every project below it', async () => {
      const group = (await service.api('POST', '/groups', { body: { name: 'Up', path: 'up' } })).body;
      const sub = (
        await service.api('POST', '/groups', { body: { name: 'Low', path: 'low', parent_id: group.id } })
      ).body;
      const { id } = (
        await service.api('POST', '/projects', { body: { path: 'deep', name: 'deep', namespace_id: sub.id } })
      ).body;
      const deep = { ...home, id };
      const stranger = await seedUser(service.core, 'stranger');
      const theirs = await jobToken(deep, stranger.user.id);
      assert.equal((await read(theirs)).status, 404, 'whoever began the job is no member');
      const mine = await jobToken(deep);
      assert.equal((await read(mine)).status, 403);
      const body = { target_group_id: group.id };
      const root = { token: service.rootToken };
      assert.equal((await scope('POST', '/groups_allowlist', { body })).status, 404);
      assert.equal((await scope('POST', '/groups_allowlist', { body, ...root })).status, 201);
      assert.equal((await scope('POST', '/groups_allowlist', { body, ...root })).status, 400);
      assert.equal((await read(mine)).status, 200);
      assert.equal((await read(await jobToken())).status, 403);
      assert.deepEqual(
        (await scope('GET', '/groups_allowlist')).body.map((each: { path: string }) => each.path),
        ['up'],
      );
      assert.equal((await scope('DELETE', `/groups_allowlist/${group.id}`)).status, 204);
      assert.equal((await read(mine)).status, 403);
    });

    it('is everybody’s where the project says so', async () => {
      const token = await jobToken();
      assert.deepEqual((await scope('GET', '')).body, { inbound_enabled: true, outbound_enabled: false });
      assert.equal((await scope('PATCH', '', { body: { enabled: false } })).status, 204);
      assert.deepEqual((await scope('GET', '')).body, { inbound_enabled: false, outbound_enabled: false });
      assert.deepEqual([(await read(token)).status, (await clone(token)).status], [200, 200]);
      const path = `/projects/${home.id}`;
      await service.api('PUT', path, { token: owner.token, body: { ci_job_token_scope_enabled: true } });
      assert.equal((await read(token)).status, 403, 'their own project may keep them in');
      await service.api('PUT', path, { token: owner.token, body: { ci_job_token_scope_enabled: false } });
      await scope('PATCH', '', { body: { enabled: true } });
      assert.equal((await read(token)).status, 403);
    });

    it('sees of a public project what everybody sees, and no more than that', async () => {
      const open = await seedProject(service.core, 'open', { ownerId: owner.user.id, visibility: 'public' });
      await seedCommit(service.core, open, { branch: 'main', files: { a: '1' } });
      const token = await jobToken();
      assert.deepEqual([(await read(token, open)).status, (await clone(token, open)).status], [200, 200]);
      await service.api('PUT', `/projects/${open.id}`, {
        token: owner.token,
        body: { builds_access_level: 'private', repository_access_level: 'private' },
      });
      assert.deepEqual([(await read(token, open)).status, (await clone(token, open)).status], [403, 403]);
    });

    it('is for maintainers to say', async () => {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { enabled: false }],
        ['GET', '/allowlist', undefined],
        ['POST', '/allowlist', { target_project_id: home.id }],
        ['DELETE', `/allowlist/${home.id}`, undefined],
        ['GET', '/groups_allowlist', undefined],
      ] as const) {
        const reply = await scope(method, path, { token: developer.token, body });
        assert.equal(reply.status, 403, `${method} ${path}`);
      }
    });
  });
}
