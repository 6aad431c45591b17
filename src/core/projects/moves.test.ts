import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedCommit, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { listRefs } from '../../git/refs.ts';
import { importFromDisk } from './import.ts';
import { removeUnclaimedRepositories, withNewRepository } from './storage.ts';
import { insertReservation } from './storage-store.ts';
import { findProjectById } from './store.ts';

for (const kind of dialects) {
  describe(`forks, transfers and imports on ${kind}`, () => {
    let service: TestService;
    let ann: Person;
    let bob: Person;
    let team: number;
    let origin: { id: number };

    before(async () => {
      service = await startService({ kind });
      ann = await seedUser(service.core, 'ann');
      bob = await seedUser(service.core, 'bob');
      team = (await made('/groups', { name: 'Team', path: 'team' })).id;
      origin = await made('/projects', {
        name: 'origin',
        visibility: 'public',
        description: 'Where it began',
        topics: 'one',
        initialize_with_readme: true,
      });
      const row = await rowOf(origin.id);
      await seedCommit(service.core, row, { branch: 'side', from: 'main', files: { 'a.txt': 'a' } });
    });
    after(() => service.close());

    const rowOf = async (id: number) => (await findProjectById(service.core.db, id))!;
    const call = (method: string, path: string, body?: unknown, person: Person = ann) =>
      service.api(method, path, { token: person.token, ...(body !== undefined && { body }) });
    const made = async (path: string, body: unknown, person: Person = ann) => {
      const reply = await call('POST', path, body, person);
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const branchesOf = async (id: number) => {
      const refs = await listRefs(service.core.repositoryOf(await rowOf(id)), 'refs/heads/');
      return refs.map(({ name }) => name.slice('refs/heads/'.length));
    };

    describe('a fork', () => {
      it('goes into the own namespace with all branches, and knows where it came from', async () => {
        const fork = await made(`/projects/${origin.id}/fork`, {}, bob);
        assert.equal(fork.path_with_namespace, 'bob/origin');
        assert.equal(fork.description, 'Where it began');
        assert.equal(fork.forked_from_project.id, origin.id);
        assert.equal(fork.import_status, 'finished');
        assert.equal(fork.empty_repo, false);
        assert.deepEqual(fork.topics, []);
        assert.deepEqual(await branchesOf(fork.id), ['main', 'side']);
        const seen = (await call('GET', `/projects/${origin.id}`)).body;
        assert.equal(seen.forks_count, 1);
        const forks = (await call('GET', `/projects/${origin.id}/forks`)).body;
        assert.deepEqual(
          forks.map(({ id }: { id: number }) => id),
          [fork.id],
        );
      });

      it('of a name that is there already is a conflict', async () => {
        const again = await call('POST', `/projects/${origin.id}/fork`, {}, bob);
        assert.deepEqual(
          [again.status, again.body],
          [409, { message: { name: ['has already been taken'], path: ['has already been taken'] } }],
        );
        const renamed = await made(`/projects/${origin.id}/fork`, { name: 'Mine', path: 'mine' }, bob);
        assert.equal(renamed.path_with_namespace, 'bob/mine');
      });

      it('goes where it is sent, no more open than its group', async () => {
        const byPath = await made(`/projects/${origin.id}/fork`, { namespace_path: 'team' });
        assert.equal(byPath.path_with_namespace, 'team/origin');
        assert.equal(byPath.visibility, 'private');
        for (const namespace of [{ namespace_path: 'nowhere' }, { namespace_id: team }]) {
          const reply = await call('POST', `/projects/${origin.id}/fork`, namespace, bob);
          assert.deepEqual([reply.status, reply.body], [404, { message: '404 Target Namespace Not Found' }]);
        }
      });

      it('may take one branch alone', async () => {
        const fork = await made(`/projects/${origin.id}/fork`, {
          name: 'slim',
          path: 'slim',
          branches: 'side',
        });
        assert.deepEqual(await branchesOf(fork.id), ['side']);
        assert.equal(fork.default_branch, 'side');
        const missing = await call('POST', `/projects/${origin.id}/fork`, { path: 'x', branches: '../x' });
        assert.equal(missing.status, 400);
      });

      it('tells what it brought with it, like a push', async () => {
        const fork = await made(`/projects/${origin.id}/fork`, { name: 'told', path: 'told' });
        await service.core.events.idle();
        const events = await service.core.events.readSince(0, ['project.created', 'ref.moved'], 1000);
        const own = events.filter(({ payload }) => payload.projectId === fork.id);
        assert.deepEqual(
          own.map((event) =>
            event.type === 'ref.moved'
              ? [event.payload.ref, event.payload.origin.via]
              : event.payload.forkedFromId,
          ),
          [origin.id, ['refs/heads/main', 'import'], ['refs/heads/side', 'import']],
        );
      });

      it('is bound to its origin and let go', async () => {
        const { id } = await made('/projects', { name: 'lone' });
        const bind = () => call('POST', `/projects/${id}/fork/${origin.id}`);
        assert.equal((await bind()).body.forked_from_project.id, origin.id);
        assert.deepEqual((await bind()).body, { message: 'Project already forked' });
        assert.equal((await call('DELETE', `/projects/${id}/fork`)).status, 204);
        assert.equal((await call('DELETE', `/projects/${id}/fork`)).status, 304);
        assert.equal((await call('GET', `/projects/${id}`)).body.forked_from_project, undefined);
        assert.equal((await call('POST', `/projects/${id}/fork/${id}`)).status, 404);
      });

      it('is refused where forking is off', async () => {
        const { id } = await made('/projects', {
          name: 'closed',
          visibility: 'public',
          forking_access_level: 'disabled',
        });
        assert.equal((await call('POST', `/projects/${id}/fork`, {}, bob)).status, 403);
      });

      it('lives on when its origin is deleted', async () => {
        const { id } = await made('/projects', { name: 'short', visibility: 'public' });
        const fork = await made(`/projects/${id}/fork`, {}, bob);
        await call('DELETE', `/projects/${id}`);
        const left = await call('GET', `/projects/${fork.id}`, undefined, bob);
        assert.equal(left.status, 200);
        assert.equal(left.body.forked_from_project, undefined);
      });
    });

    describe('a transfer', () => {
      it('is done by administrators from the side of the group too', async () => {
        const { id } = await made('/projects', { name: 'pulled' });
        const path = `/groups/${team}/projects/ann%2Fpulled`;
        assert.equal((await call('POST', path)).status, 403);
        const reply = await service.api('POST', path);
        assert.deepEqual([reply.status, reply.body.id], [201, team], reply.text);
        assert.equal((await rowOf(id)).full_path, 'team/pulled');
        assert.equal((await service.api('POST', `/groups/${team}/projects/999999`)).status, 404);
      });

      it('leads from the old path, and is no more open than the new group', async () => {
        const { id } = await made('/projects', { name: 'moving', visibility: 'public' });
        const reply = await call('PUT', `/projects/${id}/transfer`, { namespace: 'team' });
        assert.equal(reply.body.path_with_namespace, 'team/moving');
        assert.equal(reply.body.visibility, 'private');
        assert.equal((await call('GET', '/projects/ann%2Fmoving')).status, 301);
        const back = await call('PUT', `/projects/${id}/transfer`, { namespace: 'ann' });
        assert.equal(back.body.path_with_namespace, 'ann/moving');
        assert.equal((await call('GET', '/projects/ann%2Fmoving')).body.id, id);
      });

      it('is refused in the words of GitLab', async () => {
        const { id } = await made('/projects', { name: 'stuck' });
        const text = async (namespace: string) =>
          (await call('PUT', `/projects/${id}/transfer`, { namespace })).body.message;
        assert.equal(await text('nowhere'), '404 Namespace Not Found');
        assert.match(await text('ann'), /^Failed to transfer project .*already in this namespace/);
        assert.match(await text('bob'), /You don't have permission/);
        await made('/projects', { name: 'stuck', namespace_id: team });
        assert.match(await text('team'), /same name or path in target namespace already exists/);
      });
    });

    describe('an import from disk', () => {
      it('brings branches, tags and the default branch', async () => {
        const from = mkdtempSync(join(tmpdir(), 'ingot-import-'));
        const git = (...args: string[]) =>
          execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
            cwd: from,
          });
        git('init', '-q', '-b', 'trunk');
        writeFileSync(join(from, 'README'), 'hello');
        git('add', '.');
        git('commit', '-qm', 'one');
        git('tag', 'v1');
        const owner = { user: ann.user, admin: false };
        const project = await importFromDisk(service.core, { owner, path: 'imported', from });
        rmSync(from, { recursive: true });
        assert.equal(project.default_branch, 'trunk');
        const shown = (await call('GET', `/projects/${project.id}`)).body;
        assert.match(shown.readme_url, /\/-\/blob\/trunk\/README$/);
        const refs = await listRefs(service.core.repositoryOf(project));
        assert.deepEqual(
          refs.map(({ name }) => name),
          ['refs/heads/trunk', 'refs/tags/v1'],
        );
      });
    });

    describe('a repository without a project', () => {
      const stored = async (path: string) => service.core.git.repository(path).exists();

      it('goes when its row cannot be written', async () => {
        let path = '';
        const failing = withNewRepository(
          service.core,
          (repository) => repository.create({ defaultBranch: 'main' }),
          async (_tx, storagePath) => {
            path = storagePath;
            throw new Error('no row');
          },
        );
        await assert.rejects(failing, /no row/);
        assert.match(path, /^@hashed\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}\.git$/);
        assert.equal(await stored(path), false);
      });

      it('goes at the start when its process has ended, and stays while it runs', async () => {
        const { core } = service;
        const dead = '@hashed/de/ad/dead.git';
        const alive = '@hashed/de/ad/alive.git';
        for (const [path, owner] of [
          [dead, 1],
          [alive, core.database.locks.identity],
        ] as const) {
          await core.git.repository(path).create({ defaultBranch: 'main' });
          await insertReservation(core.db, { storage_path: path, owner, created_at: 1 });
        }
        assert.equal(await removeUnclaimedRepositories(core), 1);
        assert.deepEqual([await stored(dead), await stored(alive)], [false, true]);
        assert.equal(await removeUnclaimedRepositories(core), 0);
      });
    });
  });
}
