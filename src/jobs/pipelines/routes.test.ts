import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { type CallOptions, startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { postStatus } from '../statuses/statuses.ts';
import { createPipeline, type NewPipeline } from './pipelines.ts';

const sha = (n: number) => String(n).padStart(40, 'a');

for (const kind of dialects) {
  describe(`pipelines over HTTP on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let dev: Person;
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'pipelines');
      dev = await seedUser(service.core, 'dev');
      await seedMember(service.core, project, dev.user, Level.developer);
    });
    after(() => service.close());

    const make = (input: Partial<NewPipeline> & { in?: { id: number } } = {}) => {
      const { in: home = project, ...rest } = input;
      const values = {
        projectId: home.id,
        sha: sha(1),
        ref: 'main',
        source: 'push',
        userId: 1,
        ...rest,
      } as const;
      return service.core.database.transaction((tx) => createPipeline(tx, service.core, values));
    };
    const patch = (id: number, changes: Record<string, string | number | null>) =>
      service.core.db.updateTable('pipelines').set(changes).where('id', '=', id).execute();
    const get = (path: string, options?: CallOptions) =>
      service.api('GET', `/projects/${project.id}/pipelines${path}`, options);
    const ids = async (query: Record<string, unknown>) => {
      const reply = await get('', { query });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.map(({ id }: { id: number }) => id);
    };

    describe('the list', () => {
      let list: ProjectWithNamespace;
      let a: number;
      let b: number;
      let c: number;
      const listed = async (query: Record<string, unknown>) => {
        const reply = await service.api('GET', `/projects/${list.id}/pipelines`, { query });
        assert.equal(reply.status, 200, reply.text);
        return reply.body.map(({ id }: { id: number }) => id);
      };
      before(async () => {
        list = await seedProject(service.core, 'listed');
        a = (await make({ in: list, ref: 'main', sha: sha(1) })).id;
        b = (await make({ in: list, ref: 'other', sha: sha(2), source: 'web', userId: dev.user.id })).id;
        c = (await make({ in: list, ref: 'v1', sha: sha(3), source: 'api', tag: true, userId: null })).id;
        await make({ in: list, source: 'parent_pipeline' });
        await patch(a, { status: 'success', updated_at: 5000, created_at: 1000 });
        await patch(b, { status: 'running', updated_at: 3000, created_at: 2000, yaml_errors: 'broken' });
        await patch(c, { status: 'canceled', updated_at: 4000, created_at: 3000, name: 'Nightly' });
      });

      it('shows the newest first, with the keys that clients read', async () => {
        const { body, headers } = await service.api('GET', `/projects/${list.id}/pipelines`);
        assert.deepEqual(
          body.map(({ id }: { id: number }) => id),
          [c, b, a],
        );
        assert.equal(headers['x-total'], '3');
        assert.deepEqual(Object.keys(body[0]).sort(), [
          ...['created_at', 'id', 'iid', 'name', 'project_id', 'ref', 'sha', 'source', 'status'],
          ...['updated_at', 'web_url'],
        ]);
        assert.equal(body[0].web_url, `${service.baseUrl}/root/listed/-/pipelines/${c}`);
      });

      it('narrows by each filter', async () => {
        const expected: [Record<string, unknown>, number[]][] = [
          [{ status: 'running' }, [b]],
          [{ scope: 'running' }, [b]],
          [{ scope: 'pending' }, []],
          [{ scope: 'finished' }, [c, a]],
          [{ scope: 'finished', status: 'success' }, [a]],
          [{ scope: 'finished', status: 'running' }, []],
          [{ ref: 'other' }, [b]],
          [{ ref: 'nothing' }, []],
          [{ sha: sha(3) }, [c]],
          [{ source: 'web' }, [b]],
          [{ yaml_errors: true }, [b]],
          [{ yaml_errors: false }, [c, a]],
          [{ username: 'DEV' }, [b]],
          [{ username: 'nobody' }, []],
          [{ name: 'Nightly' }, [c]],
          [{ updated_after: '1970-01-01T00:00:04Z' }, [c, a]],
          [{ updated_before: '1970-01-01T00:00:04Z' }, [c, b]],
          [{ created_after: '1970-01-01T00:00:02Z', created_before: '1970-01-01T00:00:02Z' }, [b]],
        ];
        for (const [query, found] of expected)
          assert.deepEqual(await listed(query), found, JSON.stringify(query));
      });

      it('leaves out pipelines that another one began, unless they are asked for', async () => {
        assert.equal((await listed({ source: 'parent_pipeline' })).length, 1);
      });

      it('sorts by what is asked for', async () => {
        assert.deepEqual(await listed({ sort: 'asc' }), [a, b, c]);
        assert.deepEqual(await listed({ order_by: 'updated_at' }), [a, c, b]);
        assert.deepEqual(await listed({ order_by: 'status', sort: 'asc' }), [c, b, a]);
        assert.deepEqual(await listed({ order_by: 'ref' }), [c, b, a]);
        assert.equal((await listed({ order_by: 'user_id', sort: 'asc' })).length, 3);
      });

      it('pages', async () => {
        assert.deepEqual(await listed({ per_page: 2, page: 2 }), [a]);
        assert.deepEqual(await listed({ page: 9 }), []);
      });

      it('refuses words it does not know', async () => {
        for (const name of ['scope', 'status', 'source', 'order_by', 'sort']) {
          const reply = await service.api('GET', `/projects/${list.id}/pipelines`, {
            query: { [name]: 'x' },
          });
          assert.equal(reply.status, 400);
          assert.deepEqual(reply.body, { error: `${name} does not have a valid value` });
        }
      });

      // PostgreSQL scans tables as small as a test's whatever indexes there are.
      if (kind === 'sqlite') {
        it('is read through an index, whatever it is narrowed by, without sorting', async () => {
          for (const column of ['project_id', 'status', 'ref', 'sha', 'source', 'name', 'user_id']) {
            const { rows } = await sql<{ detail: string }>`explain query plan
              select * from pipelines where project_id = 1 and ${sql.ref(column)} = 1
              order by id desc limit 20`.execute(service.core.db);
            const plan = rows.map(({ detail }) => detail).join('\n');
            assert.match(plan, /SEARCH pipelines USING INDEX pipelines_/, column);
            assert.doesNotMatch(plan, /TEMP B-TREE/, column);
          }
        });
      }
    });

    it('shows the newest pipeline of each branch or tag that exists', async () => {
      const head = await seedCommit(service.core, project, { branch: 'main', files: { a: '1' } });
      await make({ ref: 'main', sha: head });
      const newest = await make({ ref: 'main', sha: head });
      await make({ ref: 'gone', sha: head });
      const tagged = await make({ ref: 'v1', tag: true, sha: head });
      assert.deepEqual(await ids({ scope: 'branches' }), [newest.id]);
      assert.deepEqual(await ids({ scope: 'branches', sha: sha(9) }), []);
      assert.deepEqual(await ids({ scope: 'tags' }), []);
      await service.core.refUpdates.update(project, [{ ref: 'refs/tags/v1', old: null, new: head }], {
        userId: 1,
        via: 'push',
      });
      assert.deepEqual(await ids({ scope: 'tags' }), [tagged.id]);
    });

    it('shows one with what follows from its jobs', async () => {
      const id = sha(5);
      const common = {
        projectId: project.id,
        sha: id,
        userId: dev.user.id,
        branchOf: async () => 'main',
        authorize: async () => {},
      };
      await postStatus(service.core, { ...common, state: 'running', name: 'a', coverage: 50 });
      await postStatus(service.core, { ...common, state: 'success', name: 'a' });
      const last = await postStatus(service.core, { ...common, state: 'success', name: 'b', coverage: 75.5 });
      const { status, body } = await get(`/${last.pipeline_id}`);
      assert.equal(status, 200);
      assert.equal(body.coverage, '62.75');
      assert.equal(body.user.username, 'dev');
      assert.equal(body.before_sha, '0'.repeat(40));
      assert.equal(body.detailed_status.text, 'Passed');
      assert.equal(body.detailed_status.details_path, `/root/pipelines/-/pipelines/${last.pipeline_id}`);
      assert.ok(body.started_at && body.finished_at);
      assert.ok(Number.isInteger(body.duration) && Number.isInteger(body.queued_duration));
    });

    it('answers 404 for one that is not there or not of this project', async () => {
      const other = await seedProject(service.core, 'elsewhere');
      const foreign = await make({ in: other });
      for (const id of ['999999', String(foreign.id)]) {
        const reply = await get(`/${id}`);
        assert.deepEqual([reply.status, reply.body], [404, { message: '404 Not found' }]);
      }
      assert.deepEqual((await get('/x')).body, { error: 'pipeline_id is invalid' });
    });

    it('finds the latest of a ref, for its newest commit only', async () => {
      const head = await seedCommit(service.core, project, { branch: 'latest', files: { b: '1' } });
      assert.equal((await get('/latest', { query: { ref: 'latest' } })).status, 403);
      await make({ ref: 'latest', sha: head });
      const newest = await make({ ref: 'latest', sha: head });
      assert.equal((await get('/latest', { query: { ref: 'latest' } })).body.id, newest.id);
      await seedCommit(service.core, project, { branch: 'latest', files: { c: '1' } });
      const reply = await get('/latest', { query: { ref: 'latest' } });
      assert.deepEqual([reply.status, reply.body], [403, { message: '403 Forbidden' }]);
      assert.equal((await get('/latest', { query: { ref: 'not-there' } })).status, 403);
    });

    it('is deleted by maintainers, with its statuses, and only as it was when they looked', async () => {
      const pipeline = await make();
      const path = `/projects/${project.id}/pipelines/${pipeline.id}`;
      const refused = await service.api('DELETE', path, { token: dev.token });
      assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
      const stale = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
      assert.equal((await service.api('DELETE', path, { headers: stale })).status, 412);
      assert.equal((await service.api('DELETE', path)).status, 204);
      assert.equal((await service.api('DELETE', path)).status, 404);
      assert.ok((await make()).iid > pipeline.iid, 'a number is not given again');
    });

    it('is for those who may see jobs', async () => {
      const guest = await seedUser(service.core, 'guest');
      const stranger = await seedUser(service.core, 'stranger');
      const look = async (person: Person, visibility: string, settings: Record<string, unknown>) => {
        await service.core.db
          .updateTable('projects')
          .set({ visibility: visibility as 'private', settings: JSON.stringify(settings) })
          .where('id', '=', project.id)
          .execute();
        return (await get('', { token: person.token })).status;
      };
      await seedMember(service.core, project, guest.user, Level.guest);
      const members = { builds_access_level: 'private' };
      const table: [string, Record<string, unknown>, number, number][] = [
        ['private', {}, 404, 200],
        ['private', { public_jobs: false }, 404, 403],
        ['internal', {}, 200, 200],
        ['internal', { public_jobs: false }, 403, 403],
        ['internal', members, 403, 200],
        ['internal', { ...members, public_jobs: false }, 403, 403],
        ['public', {}, 200, 200],
        ['public', { public_jobs: false }, 403, 403],
        ['public', members, 403, 200],
        ['public', { ...members, public_jobs: false }, 403, 403],
      ];
      for (const [visibility, settings, forStranger, forGuest] of table) {
        const name = `${visibility} ${JSON.stringify(settings)}`;
        assert.equal(await look(stranger, visibility, settings), forStranger, `a stranger, ${name}`);
        assert.equal(await look(guest, visibility, settings), forGuest, `a guest, ${name}`);
        assert.equal(await look(dev, visibility, settings), 200, `a developer, ${name}`);
      }
      assert.equal((await get('', { token: null })).status, 401);
    });
  });
}
