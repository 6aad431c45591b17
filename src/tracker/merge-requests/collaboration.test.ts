import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { openBranches, RefRules, refusalOfPush } from '../../core/repository/push-rules.ts';
import type { Visibility } from '../../core/tables.ts';

for (const kind of dialects) {
  describe(`the right to push to what a merge request offers, on ${kind}`, () => {
    let service: TestService;
    let author: Person;
    let maintainer: Person;
    let developer: Person;
    let count = 0;

    before(async () => {
      service = await startService({ kind });
      author = await seedUser(service.core, 'author');
      maintainer = await seedUser(service.core, 'maintainer');
      developer = await seedUser(service.core, 'developer');
    });
    after(() => service.close());

    /** A public project whose protected branch only its maintainer may merge into, not its developer, and a fork of it whose owner offers the branch `idea`. */
    async function offer({ visibility = 'public' }: { visibility?: Visibility } = {}) {
      const { core } = service;
      const target = await seedProject(core, `target${++count}`, { visibility: 'public' });
      await seedMember(core, target, maintainer.user, Level.maintainer);
      await seedMember(core, target, developer.user, Level.developer);
      await seedCommit(core, target, { branch: 'main', files: { 'README.md': 'hello\n' } });
      const origin = { ownerId: author.user.id, forkedFromId: target.id, visibility };
      const fork = await seedProject(core, `fork${count}`, origin);
      await core.repositoryOf(fork).importFrom(core.repositoryOf(target).path);
      for (const branch of ['idea', 'other'])
        await seedCommit(core, fork, { branch, from: 'main', files: { [branch]: 'x' } });
      const opened = await service.api('POST', `/projects/${fork.id}/merge_requests`, {
        token: author.token,
        body: {
          source_branch: 'idea',
          target_branch: 'main',
          target_project_id: target.id,
          title: 'Idea',
          allow_collaboration: true,
        },
      });
      assert.equal(opened.status, 201, opened.text);
      return { target, fork, request: `/projects/${target.id}/merge_requests/${opened.body.iid}` };
    }

    const commit = async (fork: ProjectWithNamespace, branch: string, { token }: Person) => {
      const actions = [{ action: 'create', file_path: `f${++count}` }];
      const body = { branch, commit_message: 'Help', actions };
      const reply = await service.api('POST', `/projects/${fork.id}/repository/commits`, { token, body });
      return reply.status;
    };

    it('is for those who may merge it, for that branch, as long as it is open', async () => {
      const { fork, request } = await offer();
      assert.equal(await commit(fork, 'idea', maintainer), 201);
      assert.equal(await commit(fork, 'other', maintainer), 403);
      assert.equal(await commit(fork, 'main', maintainer), 403);
      assert.equal(await commit(fork, 'idea', developer), 403);
      await service.api('PUT', request, { body: { allow_collaboration: false } });
      assert.equal(await commit(fork, 'idea', maintainer), 403);
      await service.api('PUT', request, { body: { allow_collaboration: true } });
      assert.equal(await commit(fork, 'idea', maintainer), 201);
      await service.api('PUT', request, { body: { state_event: 'close' } });
      assert.equal(await commit(fork, 'idea', maintainer), 403);
    });

    it('moves what is offered along', async () => {
      const { fork, request } = await offer();
      await commit(fork, 'idea', maintainer);
      await service.core.events.idle();
      const tip = (await service.api('GET', `/projects/${fork.id}/repository/commits/idea`)).body.id;
      assert.equal((await service.api('GET', request)).body.sha, tip);
    });

    it('ends at protected branches, archived and private projects', async () => {
      const { fork } = await offer();
      await service.api('POST', `/projects/${fork.id}/protected_branches`, { body: { name: 'id*' } });
      assert.equal(await commit(fork, 'idea', maintainer), 403);
      await service.api('DELETE', `/projects/${fork.id}/protected_branches/id%2A`);
      assert.equal(await commit(fork, 'idea', maintainer), 201);
      await service.api('POST', `/projects/${fork.id}/archive`);
      assert.equal(await commit(fork, 'idea', maintainer), 403);
      const hidden = await offer({ visibility: 'private' });
      await seedMember(service.core, hidden.fork, maintainer.user, Level.reporter);
      assert.equal(await commit(hidden.fork, 'idea', maintainer), 403);
    });

    it('lets git push that branch, but neither delete it nor push anything else', async () => {
      const { core } = service;
      const { fork } = await offer();
      const access = await core.access.project({ user: maintainer.user, admin: false }, fork);
      const right = { core, project: fork, access };
      assert.deepEqual([...(await openBranches(right))], ['idea']);
      const rules = await RefRules.load(right);
      const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
      const refusal = (ref: string, { old = a as string | null, to = b as string | null } = {}) =>
        refusalOfPush(rules, { ref, old, new: to }, async () => false);
      const no = 'You are not allowed to push code to this project.';
      assert.equal(await refusal('refs/heads/idea'), null);
      assert.equal(await refusal('refs/heads/idea', { to: null }), no);
      assert.equal(await refusal('refs/heads/other'), no);
      assert.equal(await refusal('refs/tags/v1', { old: null }), no);
      assert.equal(await refusal('refs/notes/commits', { old: null }), no);
    });
  });
}
