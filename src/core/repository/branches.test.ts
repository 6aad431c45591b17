import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';

for (const kind of dialects) {
  describe(`branches, tags and their protection on ${kind}`, () => {
    let service: TestService;
    let developer: Person;
    let guest: Person;
    let count = 0;

    before(async () => {
      service = await startService({ kind });
      developer = await seedUser(service.core, 'dev');
      guest = await seedUser(service.core, 'guest');
    });

    after(() => service.close());

    async function project() {
      const made = await seedProject(service.core, `p${++count}`);
      await seedMember(service.core, made, developer.user, 30);
      await seedMember(service.core, made, guest.user, 10);
      const main = await seedCommit(service.core, made, { branch: 'main', files: { 'a.txt': 'a' } });
      return { id: made.id, made, main, base: `/projects/${made.id}/repository` };
    }

    const call = (method: string, path: string, body?: unknown, token?: string) =>
      service.api(method, path, { body, ...(token && { token }) });

    describe('branches', () => {
      it('are made from a branch, a tag or a commit, shown, listed and deleted', async () => {
        const { base, main } = await project();
        const made = await call('POST', `${base}/branches`, { branch: 'feature/x', ref: 'main' });
        assert.equal(made.status, 201);
        assert.deepEqual(
          { ...made.body, commit: made.body.commit.id, web_url: undefined },
          {
            name: 'feature/x',
            commit: main,
            merged: false,
            protected: false,
            developers_can_push: false,
            developers_can_merge: false,
            can_push: true,
            default: false,
            web_url: undefined,
          },
        );
        const short = main.slice(0, 8);
        assert.equal((await call('POST', `${base}/branches`, { branch: 'by-id', ref: short })).status, 201);
        const one = await call('GET', `${base}/branches/feature%2Fx`);
        assert.deepEqual(one.body, made.body);
        assert.equal((await call('HEAD', `${base}/branches/feature%2Fx`)).status, 204);
        assert.equal((await call('HEAD', `${base}/branches/none`)).status, 404);
        const list = await call('GET', `${base}/branches`);
        assert.deepEqual(
          list.body.map((branch: { name: string }) => branch.name),
          ['by-id', 'feature/x', 'main'],
        );
        assert.equal(list.headers['x-total'], '3');
        assert.equal((await call('DELETE', `${base}/branches/feature%2Fx`)).status, 204);
        const gone = await call('GET', `${base}/branches/feature%2Fx`);
        assert.deepEqual([gone.status, gone.body], [404, { message: '404 Branch Not Found' }]);
      });

      it('begin an empty repository with its default branch', async () => {
        const empty = await service.api('POST', '/projects', { body: { name: 'empty-for-branches' } });
        const base = `/projects/${empty.body.id}/repository`;
        const asked = { branch: 'first', ref: 'main' };
        const made = await service.api('POST', `${base}/branches`, { body: asked });
        assert.deepEqual([made.status, made.body.commit?.title], [201, 'Add README.md'], made.text);
        const tree = await service.api('GET', `${base}/tree`, { query: { ref: 'main' } });
        assert.deepEqual(
          tree.body.map(({ path }: { path: string }) => path),
          ['README.md'],
        );
      });

      it('are refused in the words of GitLab', async () => {
        const { base } = await project();
        const refusal = async (body: unknown, token?: string) => {
          const { status, body: answer } = await call('POST', `${base}/branches`, body, token);
          return [status, answer];
        };
        assert.deepEqual(await refusal({ branch: 'main', ref: 'main' }), [
          400,
          { message: 'Branch already exists' },
        ]);
        assert.deepEqual(await refusal({ branch: 'x', ref: 'none' }), [
          400,
          { message: 'Invalid reference name: none' },
        ]);
        assert.deepEqual(await refusal({ branch: 'a..b', ref: 'main' }), [
          400,
          { message: 'Branch name is invalid' },
        ]);
        assert.deepEqual(await refusal({ branch: '-x', ref: 'main' }), [
          400,
          { message: 'Branch name is invalid' },
        ]);
        assert.deepEqual(await refusal({ branch: 'x' }), [400, { error: 'ref is missing' }]);
        assert.deepEqual(await refusal({ branch: 'main/x', ref: 'main' }), [
          400,
          { message: "Failed to create branch 'main/x'" },
        ]);
        assert.equal((await refusal({ branch: 'x', ref: 'main' }, guest.token))[0], 403);
        const bad = await call('GET', `${base}/branches/a..b`);
        assert.deepEqual([bad.status, bad.body], [400, { message: 'The branch refname is invalid' }]);
      });

      it('that are protected are deleted by maintainers only, the default one by nobody', async () => {
        const { base, id } = await project();
        assert.equal((await call('DELETE', `${base}/branches/main`)).status, 403);
        await call('POST', `${base}/branches`, { branch: 'stable', ref: 'main' });
        const rule = { name: 'stab*', push_access_level: 30 };
        await call('POST', `/projects/${id}/protected_branches`, rule);
        const refused = await call('DELETE', `${base}/branches/stable`, {}, developer.token);
        assert.deepEqual(
          [refused.status, refused.body.message],
          [
            403,
            '403 Forbidden - You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
          ],
        );
        assert.equal((await call('GET', `${base}/branches/stable`)).body.protected, true);
        assert.equal((await call('DELETE', `${base}/branches/stable`)).status, 204);
        assert.equal((await call('GET', `${base}/branches/stable`)).status, 404);
      });

      it('are searched, sorted and paged both ways', async () => {
        const { base, made } = await project();
        for (const [index, name] of ['Alpha', 'beta', 'alphabet'].entries()) {
          await seedCommit(service.core, made, { branch: name, from: 'main', files: { [`${index}`]: name } });
        }
        const names = async (query: Record<string, unknown>) => {
          const { body } = await service.api('GET', `${base}/branches`, { query });
          return body.map((branch: { name: string }) => branch.name);
        };
        assert.deepEqual(await names({ search: 'alpha' }), ['Alpha', 'alphabet']);
        assert.deepEqual(await names({ search: '^alpha$' }), ['Alpha']);
        assert.deepEqual(await names({ search: 'bet$' }), ['alphabet']);
        assert.deepEqual(await names({ search: '^a*t$' }), ['alphabet']);
        assert.deepEqual(await names({ regex: '^(beta|main)$' }), ['beta', 'main']);
        assert.deepEqual(await names({ per_page: 1, page: 2 }), ['alphabet']);
        const refused = await service.api('GET', `${base}/branches`, { query: { regex: '(' } });
        assert.deepEqual([refused.status, refused.body], [400, { error: 'regex is invalid' }]);
        const first = await service.api('GET', `${base}/branches`, {
          query: { pagination: 'keyset', per_page: 3 },
        });
        assert.deepEqual(
          first.body.map((branch: { name: string }) => branch.name),
          ['Alpha', 'alphabet', 'beta'],
        );
        const next = /<([^>]+)>; rel="next"/.exec(first.headers['link'] ?? '')?.[1] ?? '';
        const second = await service.api('GET', next.replace(/^.*\/api\/v4/, ''));
        assert.deepEqual(
          second.body.map((branch: { name: string }) => branch.name),
          ['main'],
        );
        assert.equal(second.headers['link'], undefined);
      });

      it('are merged when the default branch has them and has gone on', async () => {
        const { base, made } = await project();
        await call('POST', `${base}/branches`, { branch: 'behind', ref: 'main' });
        await seedCommit(service.core, made, { branch: 'ahead', from: 'main', files: { b: 'b' } });
        await seedCommit(service.core, made, { branch: 'main', files: { c: 'c' } });
        const { body } = await call('GET', `${base}/branches`);
        assert.deepEqual(
          body.map(({ name, merged }: { name: string; merged: boolean }) => `${name} ${merged}`),
          ['ahead false', 'behind true', 'main false'],
        );
        const answer = await call('DELETE', `${base}/merged_branches`);
        assert.deepEqual([answer.status, answer.body], [202, { message: '202 Accepted' }]);
        const after = await call('GET', `${base}/branches`);
        assert.deepEqual(
          after.body.map(({ name }: { name: string }) => name),
          ['ahead', 'main'],
        );
      });

      it('are listed without a git process when nothing has changed', async () => {
        const { base, made } = await project();
        await seedCommit(service.core, made, { branch: 'x', from: 'main', files: { b: 'b' } });
        await call('GET', `${base}/branches`);
        const started = async () => {
          const metric = service.service.metrics.registry.getSingleMetric('ingot_git_processes_total');
          const { values } = await metric!.get();
          return values.reduce((sum, { value }) => sum + value, 0);
        };
        const before = await started();
        assert.equal((await call('GET', `${base}/branches`)).body.length, 2);
        assert.equal(await started(), before);
      });

      it('are protected by the old routes too', async () => {
        const { base, id } = await project();
        await call('POST', `${base}/branches`, { branch: 'x', ref: 'main' });
        const made = await call('PUT', `${base}/branches/x/protect`, { developers_can_push: true });
        assert.deepEqual(
          [made.status, made.body.protected, made.body.developers_can_push, made.body.developers_can_merge],
          [200, true, true, false],
        );
        const changed = await call('PUT', `${base}/branches/x/protect`, { developers_can_merge: true });
        assert.deepEqual([changed.body.developers_can_push, changed.body.developers_can_merge], [true, true]);
        const rules = await call('GET', `/projects/${id}/protected_branches?search=x`);
        assert.equal(rules.body.length, 1);
        const freed = await call('PUT', `${base}/branches/x/unprotect`);
        assert.equal(freed.body.protected, false);
        assert.equal((await call('PUT', `${base}/branches/x/protect`, {}, developer.token)).status, 403);
      });
    });

    describe('protected branches', () => {
      it('are made, shown, changed and deleted by maintainers', async () => {
        const { id } = await project();
        const path = `/projects/${id}/protected_branches`;
        const made = await call('POST', path, { name: 'release/*', push_access_level: 30 });
        assert.equal(made.status, 201);
        assert.deepEqual(
          {
            name: made.body.name,
            push: made.body.push_access_levels.map((level: Record<string, unknown>) => [
              level['access_level'],
              level['access_level_description'],
            ]),
            merge: made.body.merge_access_levels.map(
              (level: Record<string, unknown>) => level['access_level'],
            ),
            force: made.body.allow_force_push,
          },
          { name: 'release/*', push: [[30, 'Developers + Maintainers']], merge: [40], force: false },
        );
        const again = await call('POST', path, { name: 'release/*' });
        assert.deepEqual(
          [again.status, again.body],
          [409, { message: "Protected branch 'release/*' already exists" }],
        );
        const one = `${path}/release%2F%2A`;
        assert.deepEqual((await call('GET', one)).body, made.body);
        assert.equal((await call('PATCH', one, { allow_force_push: true })).body.allow_force_push, true);
        const wrong = await call('POST', path, { name: 'y', push_access_level: 20 });
        assert.deepEqual(
          [wrong.status, wrong.body],
          [400, { error: 'push_access_level does not have a valid value' }],
        );
        assert.equal((await call('GET', path, undefined, developer.token)).status, 403);
        assert.equal((await call('DELETE', one)).status, 204);
        const gone = await call('GET', one);
        assert.deepEqual([gone.status, gone.body], [404, { message: '404 Not found' }]);
      });
    });

    describe('tags', () => {
      it('are light without a message and annotated with one', async () => {
        const { base, main } = await project();
        const light = await call('POST', `${base}/tags`, { tag_name: 'v1.9', ref: 'main' });
        assert.equal(light.status, 201);
        assert.deepEqual(
          { ...light.body, commit: light.body.commit.id },
          {
            name: 'v1.9',
            message: null,
            target: main,
            commit: main,
            release: null,
            protected: false,
            created_at: null,
          },
        );
        const body = { tag_name: 'v1.10', ref: 'main', message: 'Ten' };
        const annotated = await call('POST', `${base}/tags`, body);
        assert.equal(annotated.body.message, 'Ten');
        assert.notEqual(annotated.body.target, main);
        assert.equal(annotated.body.commit.id, main);
        assert.match(annotated.body.created_at, /^\d{4}-.*Z$/);
        assert.deepEqual((await call('GET', `${base}/tags/v1.10`)).body, annotated.body);
        const names = async (query: string) =>
          (await call('GET', `${base}/tags?${query}`)).body.map((tag: { name: string }) => tag.name);
        assert.deepEqual(await names('order_by=version&sort=asc'), ['v1.9', 'v1.10']);
        assert.deepEqual(await names('order_by=name&sort=asc'), ['v1.10', 'v1.9']);
        assert.deepEqual(await names('search=^v1.1'), ['v1.10']);
        const signature = await call('GET', `${base}/tags/v1.10/signature`);
        assert.deepEqual([signature.status, signature.body], [404, { message: '404 Signature Not Found' }]);
        assert.equal((await call('DELETE', `${base}/tags/v1.9`)).status, 204);
        const gone = await call('GET', `${base}/tags/v1.9`);
        assert.deepEqual([gone.status, gone.body], [404, { message: '404 Tag Not Found' }]);
      });

      it('are refused in the words of GitLab', async () => {
        const { base } = await project();
        const refusal = async (body: unknown) => {
          const { status, body: answer } = await call('POST', `${base}/tags`, body);
          return [status, answer.message];
        };
        await call('POST', `${base}/tags`, { tag_name: 'v1', ref: 'main' });
        assert.deepEqual(await refusal({ tag_name: 'v1', ref: 'main' }), [400, 'Tag v1 already exists']);
        assert.deepEqual(await refusal({ tag_name: 'v2', ref: 'none' }), [400, 'Target none is invalid']);
        assert.deepEqual(await refusal({ tag_name: 'a..b', ref: 'main' }), [400, 'Tag name invalid']);
      });

      it('that are protected are made by those whom the rule names, and deleted by maintainers', async () => {
        const { base, id } = await project();
        const rules = `/projects/${id}/protected_tags`;
        assert.equal((await call('POST', rules, { name: 'v*' })).status, 201);
        assert.equal((await call('POST', rules, { name: 'v*' })).status, 422);
        const refused = await call('POST', `${base}/tags`, { tag_name: 'v1', ref: 'main' }, developer.token);
        assert.deepEqual(
          [refused.status, refused.body],
          [400, { message: 'You are not allowed to create this tag as it is protected.' }],
        );
        const made = await call('POST', `${base}/tags`, { tag_name: 'v1', ref: 'main' });
        assert.equal(made.body.protected, true);
        assert.equal((await call('DELETE', `${base}/tags/v1`, undefined, developer.token)).status, 403);
        await call('POST', rules, { name: 'w*', create_access_level: 30 });
        const theirs = await call('POST', `${base}/tags`, { tag_name: 'w1', ref: 'main' }, developer.token);
        assert.equal(theirs.status, 201);
        const kept = await call('DELETE', `${base}/tags/w1`, undefined, developer.token);
        assert.deepEqual(
          [kept.status, kept.body.message.slice(0, 55)],
          [403, '403 Forbidden - You are not allowed to delete protected'],
        );
        assert.equal((await call('DELETE', `${base}/tags/w1`)).status, 204);
        assert.equal((await call('DELETE', `${rules}/w%2A`)).status, 204);
        const list = await call('GET', rules);
        assert.deepEqual(
          list.body.map((rule: { name: string }) => rule.name),
          ['v*'],
        );
        assert.equal((await call('DELETE', `${rules}/v%2A`)).status, 204);
        assert.equal((await call('DELETE', `${base}/tags/v1`, undefined, developer.token)).status, 204);
      });
    });
  });
}
