import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitbeakerRequestError, Gitlab } from '@gitbeaker/rest';
import { Level } from '../src/core/access/levels.ts';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { type Person, seedMember, seedProject, seedUser } from './support/seed.ts';
import { startService, type TestService } from './support/service.ts';

/** A real client over a real port: what it sends, and what it makes of the answers. */
describe('gitbeaker on snippets and wikis', () => {
  let service: TestService;
  let project: ProjectWithNamespace;
  let dev: Person;
  let client: InstanceType<typeof Gitlab<false>>;
  let admin: InstanceType<typeof Gitlab<false>>;

  before(async () => {
    service = await startService();
    dev = await seedUser(service.core, 'dev');
    project = await seedProject(service.core, 'p');
    await seedMember(service.core, project, dev.user, Level.developer);
    client = new Gitlab({ host: service.baseUrl, token: dev.token });
    admin = new Gitlab({ host: service.baseUrl, token: service.rootToken });
  });
  after(() => service.close());

  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('was not refused'),
      (error: unknown) =>
        error instanceof GitbeakerRequestError
          ? [error.cause?.response.status, error.cause?.description]
          : error,
    );

  it('keeps personal snippets', async () => {
    const made = await client.Snippets.create('Mine', {
      description: 'about',
      visibility: 'public',
      files: [
        { filePath: 'a.rb', content: 'puts 1\n' },
        { filePath: 'dir/b.rb', content: 'puts 2\n' },
      ],
    });
    assert.deepEqual(
      [made.title, made.file_name, made.visibility, made.project_id],
      ['Mine', 'a.rb', 'public', null],
    );
    assert.equal((await client.Snippets.show(made.id)).title, 'Mine');
    assert.equal(await client.Snippets.showContent(made.id), 'puts 1\n');
    assert.equal(await client.Snippets.showRepositoryFileContent(made.id, 'main', 'dir/b.rb'), 'puts 2\n');
    const edited = await client.Snippets.edit(made.id, {
      description: 'changed',
      files: [{ action: 'move', previousPath: 'a.rb', filePath: 'c.rb' }],
    });
    assert.deepEqual([edited.description, edited.file_name], ['changed', 'c.rb']);
    const listed = await client.Snippets.all({});
    const open = await client.Snippets.all({ public: true });
    assert.deepEqual([listed.map(({ id }) => id), open.map(({ id }) => id)], [[made.id], [made.id]]);
    const detail = await admin.Snippets.showUserAgentDetails(made.id);
    assert.equal(detail.ip_address, '127.0.0.1');
    await client.Snippets.remove(made.id);
    assert.deepEqual(await refusal(client.Snippets.show(made.id)), [404, '404 Snippet Not Found']);
  });

  it('keeps snippets of a project', async () => {
    const path = project.full_path;
    const made = await client.ProjectSnippets.create(path, 'Ours', {
      visibility: 'private',
      files: [{ filePath: 'a.rb', content: 'puts 1\n' }],
    });
    assert.equal(made.project_id, project.id);
    assert.equal((await client.ProjectSnippets.show(path, made.id)).id, made.id);
    assert.equal(await client.ProjectSnippets.showContent(path, made.id), 'puts 1\n');
    const raw = await client.ProjectSnippets.showRepositoryFileContent(path, made.id, 'main', 'a.rb');
    assert.equal(raw, 'puts 1\n');
    const edited = await client.ProjectSnippets.edit(path, made.id, {
      files: [{ action: 'update', filePath: 'a.rb', content: 'puts 2\n' }],
    });
    assert.equal(edited.file_name, 'a.rb');
    const { data, paginationInfo } = await client.ProjectSnippets.all(path, {
      showExpanded: true,
      perPage: 1,
    });
    assert.deepEqual([data.length, paginationInfo.total], [1, 1]);
    assert.equal((await admin.ProjectSnippets.showUserAgentDetails(path, made.id)).akismet_submitted, false);
    await client.ProjectSnippets.remove(path, made.id);
    assert.deepEqual(await client.ProjectSnippets.all(path), []);
  });

  it('keeps a wiki', async () => {
    const path = project.full_path;
    const made = await client.ProjectWikis.create(path, 'hello', 'Guides/First steps', { format: 'rdoc' });
    assert.deepEqual([made.slug, made.title, made.format], ['Guides/First-steps', 'First steps', 'rdoc']);
    assert.equal((await client.ProjectWikis.show(path, made.slug)).content, 'hello');
    const edited = await client.ProjectWikis.edit(path, made.slug, { content: 'hello again' });
    assert.equal(edited.content, 'hello again');
    const full = await client.ProjectWikis.all(path, { withContent: true });
    assert.deepEqual(
      full.map(({ content }) => content),
      ['hello again'],
    );
    assert.equal((await client.ProjectWikis.all(path))[0]!.slug, made.slug);
    const attached = await client.ProjectWikis.uploadAttachment(path, {
      content: new Blob(['bytes']),
      filename: 'dk.png',
    });
    assert.equal(attached.link.markdown, `![dk](${attached.file_path})`);
    assert.equal(attached.branch, 'main');
    await client.ProjectWikis.remove(path, made.slug);
    assert.deepEqual(await refusal(client.ProjectWikis.show(path, made.slug)), [
      404,
      '404 Wiki Page Not Found',
    ]);
  });
});
