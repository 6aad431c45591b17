import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { type CallOptions, startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import { removeUnclaimedRepositories } from '../../core/projects/storage.ts';
import { insertReservation } from '../../core/projects/storage-store.ts';
import { wikiOf, wikiPath, wikiRepositoryOf, wikiTip } from '../../core/projects/wiki.ts';
import { readCommit } from '../../git/objects.ts';

for (const kind of dialects) {
  describe(`wiki pages on ${kind}`, () => {
    let service: TestService;
    let developer: Person;
    let guest: Person;
    let stranger: Person;
    let count = 0;

    before(async () => {
      service = await startService({ kind });
      developer = await seedUser(service.core, 'dev');
      guest = await seedUser(service.core, 'guest');
      stranger = await seedUser(service.core, 'stranger');
    });
    after(() => service.close());

    async function project(settings: Record<string, unknown> = {}) {
      const made = await seedProject(service.core, `p${++count}`, { settings: JSON.stringify(settings) });
      await seedMember(service.core, made, developer.user, Level.developer);
      await seedMember(service.core, made, guest.user, Level.guest);
      return made;
    }

    const call = (method: string, at: { id: number }, rest = '', options: CallOptions = {}) =>
      service.api(method, `/projects/${at.id}/wikis${rest}`, { token: developer.token, ...options });

    const write = async (at: { id: number }, title: string, content = 'text', more = {}) => {
      const reply = await call('POST', at, '', { body: { title, content, ...more } });
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };

    const refusal = async (reply: ReturnType<typeof call>) => {
      const { status, body } = await reply;
      return [status, body.message ?? body.error];
    };

    it('are written, read, listed, changed and deleted', async () => {
      const at = await project();
      assert.deepEqual((await call('GET', at)).body, []);
      assert.deepEqual(await write(at, 'How to begin', '# Begin\n'), {
        format: 'markdown',
        slug: 'How-to-begin',
        title: 'How to begin',
        content: '# Begin\n',
        encoding: 'UTF-8',
      });
      await write(at, 'Deep/er/page', '= Title', { format: 'asciidoc' });
      const list = await call('GET', at);
      assert.deepEqual(list.body, [
        { format: 'asciidoc', slug: 'Deep/er/page', title: 'page' },
        { format: 'markdown', slug: 'How-to-begin', title: 'How to begin' },
      ]);
      const full = await call('GET', at, '?with_content=1');
      assert.deepEqual(
        full.body.map(({ content }: { content: string }) => content),
        ['= Title', '# Begin\n'],
      );
      const nested = await call('GET', at, '/Deep%2Fer%2Fpage');
      assert.equal(nested.body.content, '= Title');

      const changed = await call('PUT', at, '/Deep%2Fer%2Fpage', { body: { content: 'two' } });
      assert.deepEqual([changed.status, changed.body.content, changed.body.format], [200, 'two', 'asciidoc']);
      assert.equal((await call('DELETE', at, '/How-to-begin')).status, 204);
      assert.deepEqual(await refusal(call('GET', at, '/How-to-begin')), [404, '404 Wiki Page Not Found']);
    });

    it('are renamed and moved by their title, and change their format', async () => {
      const at = await project();
      await write(at, 'a/one', 'text');
      const put = async (slug: string, body: Record<string, unknown>) => {
        const reply = await call('PUT', at, `/${encodeURIComponent(slug)}`, { body });
        assert.equal(reply.status, 200, reply.text);
        return [reply.body.slug, reply.body.format, reply.body.content];
      };
      assert.deepEqual(await put('a/one', { title: 'two' }), ['a/two', 'markdown', 'text']);
      assert.deepEqual(await put('a/two', { title: '/three' }), ['three', 'markdown', 'text']);
      assert.deepEqual(await put('three', { title: 'b/four', content: 'new' }), [
        'b/four',
        'markdown',
        'new',
      ]);
      assert.deepEqual(await put('b/four', { format: 'org' }), ['b/four', 'org', 'new']);
      assert.deepEqual(await put('b/four', { title: 'four' }), ['b/four', 'org', 'new']);
      await write(at, 'b/five');
      const taken = call('PUT', at, '/b%2Ffour', { body: { title: 'five' } });
      assert.deepEqual(await refusal(taken), [
        400,
        { title: ['There is already a page with the same title in that path.'] },
      ]);
      const list = await call('GET', at);
      assert.deepEqual(
        list.body.map(({ slug }: { slug: string }) => slug),
        ['b/five', 'b/four'],
      );
    });

    it("carry the caller's name and GitLab's message, and are read as they were", async () => {
      const at = await project();
      await write(at, 'Page one', 'first');
      const repository = wikiRepositoryOf(service.core, at);
      const created = (await wikiTip(repository))!;
      const commit = (await readCommit(repository, created.oid))!;
      assert.equal(created.branch, 'main');
      assert.equal(commit.message, 'dev created page: Page one');
      assert.deepEqual([commit.author.name, commit.author.email], ['DEV', 'dev@example.com']);

      await call('PUT', at, '/Page-one', { body: { content: 'second' } });
      const updated = (await wikiTip(repository))!;
      assert.equal((await readCommit(repository, updated.oid))!.message, 'dev updated page: Page one');
      const before = await call('GET', at, `/Page-one?version=${created.oid}`);
      assert.equal(before.body.content, 'first');
      await call('DELETE', at, '/Page-one');
      assert.equal((await call('GET', at, `/Page-one?version=${updated.oid}`)).body.content, 'second');
      for (const version of ['f'.repeat(40), '--output=x', 'no-branch', 'main:Page-one.md']) {
        const reply = call('GET', at, `/Page-one?version=${encodeURIComponent(version)}`);
        assert.deepEqual(await refusal(reply), [404, '404 Wiki Page Not Found'], version);
      }
    });

    it("are refused in GitLab's words", async () => {
      const at = await project();
      await write(at, 'home');
      const post = (body: Record<string, unknown>) => refusal(call('POST', at, '', { body }));
      assert.deepEqual(await post({}), [400, 'title is missing, content is missing']);
      assert.deepEqual(await post({ title: 'x', content: 'x', format: 'html' }), [
        400,
        'format does not have a valid value',
      ]);
      assert.deepEqual(await post({ title: ' ', content: 'x' }), [400, { title: ["can't be blank"] }]);
      for (const format of ['markdown', 'rdoc']) {
        assert.deepEqual(await post({ title: 'home', content: 'x', format }), [
          400,
          { base: ['Duplicate page: A page with that title already exists'] },
        ]);
      }
      for (const title of ['../up', 'a/../../b', '.git/config', 'x/.git', 'a/.']) {
        assert.deepEqual(await post({ title, content: 'x' }), [400, { title: ['is invalid'] }], title);
      }
      assert.deepEqual(await post({ title: 'big', content: 'x'.repeat(5 * 1024 * 1024 + 1) }), [
        400,
        { content: ['is too long (5 MiB). The maximum size is 5 MiB.'] },
      ]);
      assert.deepEqual(await refusal(call('PUT', at, '/home', { body: {} })), [
        400,
        'content, title, format are missing, at least one parameter must be provided',
      ]);
      assert.deepEqual((await call('GET', at)).body.length, 1);
    });

    it('are asked for by hostile slugs without harm', async () => {
      const at = await project();
      await write(at, 'home');
      for (const slug of ['..%2F..%2Fetc%2Fpasswd', '-rf', 'home.md', 'HOME', 'a%2F%2Fb', '%FF']) {
        const { status } = await call('GET', at, `/${slug}`);
        assert.ok([400, 404].includes(status), `${slug}: ${status}`);
      }
      assert.equal((await call('GET', at, '/ho%00me')).status, 400);
      assert.equal((await call('GET', at, '/%2Fhome')).body.slug, 'home');
    });

    it('are rendered when that is asked for', async () => {
      const at = await project();
      await write(at, 'home', '# Hello\n\n<script>alert(1)</script>');
      const rendered = await call('GET', at, '/home?render_html=true');
      assert.equal(rendered.body.content, '<h1>Hello</h1>\n<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n');
      assert.match((await call('GET', at, '/home')).body.content, /^# Hello/);
    });

    it('are found by a slug with blanks, whatever the file is called', async () => {
      const at = await project();
      await write(at, 'My page');
      assert.equal((await call('GET', at, '/My%20page')).body.slug, 'My-page');
    });

    it('take what the wiki allows: members read, developers write, nobody does in a closed one', async () => {
      const at = await project();
      await write(at, 'home');
      const as = (token: string) => ({ token });
      assert.equal((await call('GET', at, '', as(guest.token))).status, 200);
      const body = { title: 'x', content: 'y' };
      assert.equal((await call('POST', at, '', { body, ...as(guest.token) })).status, 403);
      assert.equal((await call('DELETE', at, '/home', as(guest.token))).status, 403);
      assert.deepEqual(await refusal(call('GET', at, '', as(stranger.token))), [
        404,
        '404 Project Not Found',
      ]);
      const off = await project({ wiki_access_level: 'disabled' });
      assert.deepEqual(await refusal(call('GET', off)), [403, '403 Forbidden']);
      assert.deepEqual(await refusal(call('POST', off, '', { body })), [403, '403 Forbidden']);
      await service.api('POST', `/projects/${at.id}/archive`);
      assert.equal((await call('GET', at, '/home')).status, 200);
      assert.equal((await call('POST', at, '', { body })).status, 403);
    });

    it('are all kept when many write at once', async () => {
      const at = await project();
      const titles = Array.from({ length: 12 }, (_, index) => `page ${index}`);
      const replies = await Promise.all(
        titles.map((title) => call('POST', at, '', { body: { title, content: title } })),
      );
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
      const same = await Promise.all(
        Array.from({ length: 6 }, () => call('POST', at, '', { body: { title: 'same', content: 'x' } })),
      );
      assert.deepEqual(same.map(({ status }) => status).sort(), [201, 400, 400, 400, 400, 400]);
      assert.equal((await call('GET', at)).body.length, 13);
    });

    it('tell of each write by an event', async () => {
      const at = await project();
      await write(at, 'home');
      await call('PUT', at, '/home', { body: { content: 'more' } });
      const { oid } = (await wikiTip(wikiRepositoryOf(service.core, at)))!;
      const rows = await service.core.db
        .selectFrom('events')
        .select(['type', 'payload'])
        .where('stream', '=', `project:${at.id}`)
        .orderBy('id')
        .execute();
      const moves = rows.map(({ type, payload }) => ({ type, ...JSON.parse(payload) }));
      assert.deepEqual(
        moves.map(({ type, ref }) => [type, ref]),
        [
          ['wiki.moved', 'refs/heads/main'],
          ['wiki.moved', 'refs/heads/main'],
        ],
      );
      assert.deepEqual([moves[0].oldOid, moves[1].oldOid], [null, moves[0].newOid]);
      assert.equal(moves[1].newOid, oid);
    });

    it('show attachments, whatever the file is called', async () => {
      const at = await project();
      const attach = async (filename: string, branch?: string) => {
        const boundary = 'xxBOUNDARYxx';
        const field = branch
          ? `--${boundary}\r\nContent-Disposition: form-data; name="branch"\r\n\r\n${branch}\r\n`
          : '';
        const payload = `${field}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\nbytes\r\n--${boundary}--\r\n`;
        const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
        return call('POST', at, '/attachments', { payload, headers });
      };
      const picture = await attach('dk.png');
      assert.equal(picture.status, 201, picture.text);
      assert.match(picture.body.file_path, /^uploads\/[0-9a-f]{32}\/dk\.png$/);
      assert.equal(picture.body.branch, 'main');
      assert.deepEqual(picture.body.link, {
        url: picture.body.file_path,
        markdown: `![dk](${picture.body.file_path})`,
      });
      const tip = (await wikiTip(wikiRepositoryOf(service.core, at)))!;
      assert.equal(
        (await readCommit(wikiRepositoryOf(service.core, at), tip.oid))!.message,
        'Upload attachment dk.png',
      );

      const hostile = await attach('../../a b](x).md');
      assert.equal(hostile.body.file_name, 'a_b__x_.md');
      assert.equal(hostile.body.link.markdown, `[a_b__x_.md](${hostile.body.file_path})`);
      assert.deepEqual(await refusal(attach('..')), [400, 'The file name is not valid']);
      assert.deepEqual(await refusal(attach('a.txt', '-bad..name')), [400, 'Branch name is invalid']);
      const side = await attach('side.txt', 'side');
      assert.deepEqual([side.status, side.body.branch], [201, 'side']);
      const missing = await call('POST', at, '/attachments', { body: {} });
      assert.deepEqual([missing.status, missing.body.error], [400, 'file is missing']);
    });

    it('stay with a project that is renamed, are no part of a fork, and go with the project', async () => {
      const at = await project();
      await write(at, 'home');
      await service.api('PUT', `/projects/${at.id}`, { body: { path: `renamed${count}` } });
      assert.equal((await call('GET', at, '/home')).status, 200);
      const { statistics } = (await service.api('GET', `/projects/${at.id}`, { query: { statistics: true } }))
        .body;
      assert.ok(statistics.wiki_size > 0);
      assert.equal(statistics.storage_size, statistics.repository_size + statistics.wiki_size);

      const fork = await service.api('POST', `/projects/${at.id}/fork`, {
        body: { name: `fork${count}`, path: `fork${count}` },
      });
      assert.equal(fork.status, 201, fork.text);
      const inFork = await service.api('GET', `/projects/${fork.body.id}/wikis`);
      assert.deepEqual(inFork.body, []);

      const repository = wikiRepositoryOf(service.core, at);
      assert.equal(await repository.exists(), true);
      await service.api('DELETE', `/projects/${at.id}`);
      await service.core.events.idle();
      assert.equal(await repository.exists(), false);
    });

    it('are found right after a crash: a move that happened is told, a wiki half begun is kept or removed', async () => {
      const { core } = service;
      const at = await project();
      await write(at, 'home');
      await write(at, 'next');
      const repository = wikiRepositoryOf(core, at);
      const { oid } = (await wikiTip(repository))!;
      // what a process leaves that was killed after git moved the ref
      await core.db
        .insertInto('ref_intents')
        .values({
          project_id: at.id,
          wiki: 1,
          ref: 'refs/heads/main',
          old_oid: null,
          new_oid: oid,
          origin: JSON.stringify({ userId: 1, via: 'api' }),
          owner: '12345',
          created_at: 0,
        })
        .execute();
      await core.refUpdates.recover();
      const moves = await core.db
        .selectFrom('events')
        .select(['type', 'payload'])
        .where('stream', '=', `project:${at.id}`)
        .orderBy('id')
        .execute();
      assert.deepEqual(
        moves.map(({ type }) => type),
        ['wiki.moved', 'wiki.moved', 'wiki.moved'],
      );
      assert.equal(JSON.parse(moves[2]!.payload).newOid, oid);

      const gone = wikiPath('gone-project.git');
      await core.git.repository(gone).create({ defaultBranch: 'main' });
      for (const storage_path of [wikiOf(at).storage_path, gone]) {
        await insertReservation(core.db, { storage_path, owner: 12_345, created_at: 0 });
      }
      assert.equal(await removeUnclaimedRepositories(core), 1);
      assert.equal(await core.git.repository(gone).exists(), false);
      assert.equal((await call('GET', at)).body.length, 2);
      assert.deepEqual(await core.db.selectFrom('repository_reservations').selectAll().execute(), []);
    });
  });
}
