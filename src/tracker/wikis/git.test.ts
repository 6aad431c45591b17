import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { wikiRepositoryOf, wikiTip } from '../../core/projects/wiki.ts';
import { newToken, tokenHash } from '../../core/tokens/secret.ts';
import { openTestGit, type TestGit, type WorkTree } from '../../git/testing.ts';

describe('wikis by git', () => {
  let service: TestService;
  let work: TestGit;
  let developer: Person;
  let guest: Person;
  let stranger: Person;
  let count = 0;

  before(async () => {
    service = await startService();
    work = await openTestGit();
    developer = await seedUser(service.core, 'dev');
    guest = await seedUser(service.core, 'guest');
    stranger = await seedUser(service.core, 'stranger');
  });
  after(async () => {
    await work[Symbol.asyncDispose]();
    await service.close();
  });

  async function project(
    settings: Record<string, unknown> = {},
    visibility: 'private' | 'public' = 'private',
  ) {
    const options = { settings: JSON.stringify(settings), visibility };
    const made = await seedProject(service.core, `p${++count}`, options);
    await seedMember(service.core, made, developer.user, Level.developer);
    await seedMember(service.core, made, guest.user, Level.guest);
    return made;
  }

  const address = (path: string, person: { token: string } | null) =>
    `${service.baseUrl.replace('://', person ? `://oauth2:${person.token}@` : '://')}/${path}.wiki.git`;

  async function clone(at: ProjectWithNamespace, person: Person | null = developer): Promise<WorkTree> {
    const tree = await work.workTree();
    await tree.git('pull', '--quiet', address(at.full_path, person), 'main');
    return tree;
  }

  const refusal = (done: Promise<unknown>) =>
    done.then(
      () => assert.fail('it worked'),
      (error: Error) => error.message,
    );

  const write = (at: { id: number }, title: string, content: string) =>
    service.api('POST', `/projects/${at.id}/wikis`, { body: { title, content }, token: developer.token });
  const slugs = async (at: { id: number }): Promise<string[]> =>
    (await service.api('GET', `/projects/${at.id}/wikis`)).body.map(({ slug }: { slug: string }) => slug);

  it('are cloned with the pages that the API wrote, and pushed to', async () => {
    const at = await project();
    await write(at, 'Home', 'hello\n');
    const tree = await clone(at);
    assert.equal(await tree.git('show', 'HEAD:Home.md'), 'hello');
    await tree.save({ 'dir/My page.org': 'one', 'img/a.png': 'png', 'Home.md': 'changed\n' });
    await tree.git('push', '--quiet', address(at.full_path, developer), 'HEAD:main');
    assert.deepEqual(await slugs(at), ['Home', 'dir/My-page']);
    const page = await service.api('GET', `/projects/${at.id}/wikis/dir%2FMy-page`);
    assert.deepEqual([page.body.title, page.body.format, page.body.content], ['My page', 'org', 'one']);
    const renamed = await service.api('PUT', `/projects/${at.id}/wikis/dir%2FMy-page`, {
      body: { title: 'Own page' },
    });
    assert.equal(renamed.body.slug, 'dir/Own-page');
  });

  it('begin with the first push, whatever its branch is called', async () => {
    const at = await project();
    const nothing = await refusal(clone(at));
    assert.match(nothing, /A repository for this wiki does not exist yet|not found/i);
    const tree = await work.workTree();
    await tree.save({ 'start.md': 'text' });
    await tree.git('push', '--quiet', address(at.full_path, developer), 'HEAD:master');
    assert.equal((await wikiTip(wikiRepositoryOf(service.core, at)))!.branch, 'master');
    assert.deepEqual(await slugs(at), ['start']);
  });

  it('touch nothing of the code, which has branches of the same names', async () => {
    const at = await project();
    const tree = await work.workTree();
    await tree.save({ 'page.md': 'text' });
    const code = `${service.baseUrl.replace('://', `://oauth2:${service.rootToken}@`)}/${at.full_path}.git`;
    await tree.git('push', '--quiet', code, 'HEAD:main');
    await tree.save({ 'page.md': 'other' });
    await Promise.all([
      tree.git('push', '--quiet', address(at.full_path, developer), 'HEAD:main'),
      tree.git('push', '--quiet', code, 'HEAD:side'),
    ]);
    const branches = await service.api('GET', `/projects/${at.id}/repository/branches`);
    assert.deepEqual(branches.body.map(({ name }: { name: string }) => name).sort(), ['main', 'side']);
    const rules = await service.api('GET', `/projects/${at.id}/protected_branches`);
    assert.equal(rules.body.length, 1);
    const events = await service.core.db
      .selectFrom('events')
      .select('type')
      .where('stream', '=', `project:${at.id}`)
      .execute();
    const told = events.map(({ type }) => type).filter((type) => type.endsWith('.moved'));
    assert.deepEqual(told.sort(), ['ref.moved', 'ref.moved', 'wiki.moved']);
  });

  it('are for whom the wiki is', async () => {
    const at = await project();
    await write(at, 'home', 'text');
    const tree = await clone(at, guest);
    await tree.save({ 'more.md': 'text' });
    const push = (person: Person, ...refs: string[]) =>
      refusal(tree.git('push', address(at.full_path, person), ...refs));
    assert.match(await push(guest, 'HEAD:main'), /not allowed to write to this project's wiki/);
    assert.match(await push(stranger, 'HEAD:main'), /could not be found/);
    assert.match(await refusal(clone(at, stranger)), /could not be found/);
    assert.match(await refusal(clone(at, null)), /could not read Username|Authentication failed/);
    assert.match(await push(developer, ':main'), /default branch of a project cannot be deleted/);
    assert.match(await push(developer, 'HEAD:refs/keep-around/x'), /rejected|kept by the service/);
    const open = await project({}, 'public');
    await write(open, 'home', 'text');
    assert.equal(await (await clone(open, null)).git('show', 'HEAD:home.md'), 'text');
    const closed = await project({ wiki_access_level: 'disabled' });
    assert.match(await refusal(clone(closed)), /not allowed to download files from this wiki/);
    const archived = await project();
    await service.api('POST', `/projects/${archived.id}/archive`);
    const late = refusal(tree.git('push', address(archived.full_path, developer), 'HEAD:main'));
    assert.match(await late, /not allowed to write to this project's wiki/);
  });

  it('may be forced and pruned: only the default branch must stay', async () => {
    const at = await project();
    await write(at, 'home', 'text');
    const tree = await work.workTree();
    await tree.save({ 'new.md': 'text' });
    const to = address(at.full_path, developer);
    await tree.git(
      'push',
      '--quiet',
      '--force',
      to,
      'HEAD:main',
      'HEAD:refs/heads/side',
      'HEAD:refs/tags/v1',
    );
    assert.deepEqual(await slugs(at), ['new']);
    await tree.git('push', '--quiet', to, ':refs/heads/side', ':refs/tags/v1');
  });

  it('are reached by the old path of a project, which tells the new one', async () => {
    const at = await project();
    await write(at, 'home', 'text');
    await service.api('PUT', `/projects/${at.id}`, { body: { path: `moved${count}` } });
    const tree = await clone(at);
    await tree.save({ 'more.md': 'text' });
    const to = address(at.full_path, developer);
    // One ref is refused, so that the push fails and shows what the service said.
    const said = await refusal(tree.git('push', to, 'HEAD:main', 'HEAD:refs/heads/main/below'));
    assert.match(said, new RegExp(`remote set-url origin \\S+/root/moved${count}\\.wiki\\.git`));
    assert.deepEqual(await slugs(at), ['home', 'more']);
  });

  it('come after a project that is called so', async () => {
    const at = await project();
    await write(at, 'home', 'text');
    const name = `${at.path}.wiki`;
    const namesake = (await service.api('POST', '/projects', { body: { name, path: name } })).body;
    const tree = await work.workTree();
    await tree.save({ 'code.txt': 'code' });
    const root = { token: service.rootToken };
    await tree.git('push', '--quiet', address(at.full_path, root), 'HEAD:main');
    assert.deepEqual(await slugs(at), ['home']);
    const branches = await service.api('GET', `/projects/${namesake.id}/repository/branches`);
    assert.equal(branches.body.length, 1);
  });

  it('lose no page when a push and the API meet', async () => {
    const at = await project();
    await write(at, 'home', 'text');
    const pushes = async (name: string) => {
      const tree = await clone(at);
      await tree.save({ [`${name}.md`]: name });
      for (let attempt = 0; attempt < 20; attempt++) {
        const done = await tree.git('push', '--quiet', address(at.full_path, developer), 'HEAD:main').then(
          () => true,
          () => false, // somebody was faster: the next attempt builds on his page
        );
        if (done) return;
        await tree.git('pull', '--quiet', '--rebase', address(at.full_path, developer), 'main');
      }
      assert.fail('never got through');
    };
    const titles = Array.from({ length: 6 }, (_, index) => `api${index}`);
    await Promise.all([
      pushes('git0'),
      pushes('git1'),
      ...titles.map(async (title) => assert.equal((await write(at, title, title)).status, 201)),
    ]);
    assert.deepEqual(await slugs(at), [...titles, 'git0', 'git1', 'home']);
  });

  it('are fetched with a job token of the project, and not pushed to', async () => {
    const at = await project();
    await write(at, 'home', 'text');
    const token = newToken('job');
    await service.core.db
      .insertInto('job_tokens')
      .values({
        token_hash: tokenHash(token),
        job_id: 1,
        user_id: developer.user.id,
        project_id: at.id,
        created_at: service.core.clock.now(),
      })
      .execute();
    const url = `${service.baseUrl.replace('://', `://gitlab-ci-token:${token}@`)}/${at.full_path}.wiki.git`;
    const tree = await work.workTree();
    await tree.git('pull', '--quiet', url, 'main');
    await tree.save({ 'more.md': 'text' });
    assert.match(await refusal(tree.git('push', url, 'HEAD:main')), /not allowed to upload code/);
  });
});
