import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { type CallOptions, startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { Visibility } from '../../core/tables.ts';

for (const kind of dialects) {
  describe(`snippets on ${kind}`, () => {
    let service: TestService;
    let author: Person;
    let maintainer: Person;
    let guest: Person;
    let stranger: Person;
    let external: Person;
    let count = 0;

    before(async () => {
      service = await startService({ kind });
      author = await seedUser(service.core, 'author');
      maintainer = await seedUser(service.core, 'maintainer');
      guest = await seedUser(service.core, 'guest');
      stranger = await seedUser(service.core, 'stranger');
      external = await seedUser(service.core, 'external');
      await service.core.db
        .updateTable('users')
        .set({ external: 1 })
        .where('id', '=', external.user.id)
        .execute();
    });
    after(() => service.close());

    async function project(visibility: Visibility = 'private', settings: Record<string, unknown> = {}) {
      const options = { visibility, settings: JSON.stringify(settings) };
      const made = await seedProject(service.core, `p${++count}`, options);
      await seedMember(service.core, made, author.user, Level.reporter);
      await seedMember(service.core, made, maintainer.user, Level.maintainer);
      await seedMember(service.core, made, guest.user, Level.guest);
      return made;
    }

    const call = (method: string, path: string, options: CallOptions = {}) =>
      service.api(method, path, { token: author.token, ...options });
    const as = (person: Person, method: string, path: string, body?: unknown) =>
      call(method, path, { token: person.token, ...(body !== undefined && { body }) });

    const one = { title: 'One', files: [{ file_path: 'one.rb', content: 'puts 1\n' }] };
    async function make(home: string, visibility: Visibility, more: Record<string, unknown> = {}) {
      const reply = await call('POST', `${home}/snippets`, { body: { ...one, visibility, ...more } });
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    }
    const inProject = ({ id }: { id: number }) => `/projects/${id}`;
    const idsOf = (reply: { body: { id: number }[] }) => reply.body.map(({ id }) => id);

    it('are made of files or of the old pair of parameters, and shown with all that clients read', async () => {
      const body = { title: 'T', description: 'D', file_name: 'a b.rb', content: 'x', visibility: 'public' };
      const { status, body: made } = await call('POST', '/snippets', { body });
      assert.equal(status, 201);
      const url = `${service.baseUrl}/-/snippets/${made.id}`;
      const { author: shown, created_at, updated_at, ...rest } = made;
      assert.deepEqual(rest, {
        id: made.id,
        title: 'T',
        file_name: 'a b.rb',
        description: 'D',
        visibility: 'public',
        imported: false,
        imported_from: 'none',
        project_id: null,
        web_url: url,
        raw_url: `${url}/raw`,
        ssh_url_to_repo: null,
        http_url_to_repo: null,
        files: [{ path: 'a b.rb', raw_url: `${url}/raw/main/a%20b.rb` }],
      });
      assert.equal(shown.username, 'author');
      assert.equal(created_at, updated_at);
      assert.deepEqual((await call('GET', `/snippets/${made.id}`)).body, made);
      const at = await project();
      const there = await make(inProject(at), 'private');
      assert.equal(there.project_id, at.id);
      assert.equal(there.web_url, `${service.baseUrl}/${at.full_path}/-/snippets/${there.id}`);
      assert.equal((await call('POST', '/snippets', { body: one })).body.visibility, 'internal');
      const inside = await call('POST', `${inProject(at)}/snippets`, { body: one });
      assert.equal(inside.body.visibility, 'private');
    });

    it('give their texts as they are', async () => {
      const content = 'Grüße\r\n\t<script>alert(1)</script>';
      const files = [
        { file_path: 'first.html', content },
        { file_path: 'dir/second.txt', content: 'two' },
      ];
      const made = await make('', 'private', { files });
      const raw = await call('GET', `/snippets/${made.id}/raw`);
      assert.equal(raw.text, content);
      assert.equal(raw.headers['content-type'], 'text/plain; charset=utf-8');
      const at = (ref: string, path: string) => call('GET', `/snippets/${made.id}/files/${ref}/${path}/raw`);
      assert.equal((await at('main', 'dir%2Fsecond.txt')).text, 'two');
      assert.deepEqual((await at('main', 'none')).body, { message: '404 File Not Found' });
      assert.deepEqual((await at('other', 'first.html')).body, { message: '404 Reference Not Found' });
      assert.equal((await at('main', '..%2F..%2Fetc%2Fpasswd')).status, 404);
    });

    it('change their texts and files', async () => {
      const { id } = await make('', 'private');
      const put = async (body: Record<string, unknown>) =>
        (await call('PUT', `/snippets/${id}`, { body })).body;
      const titled = await put({ title: 'Two', visibility: 'public', description: 'more' });
      assert.deepEqual([titled.title, titled.visibility, titled.description], ['Two', 'public', 'more']);
      assert.equal((await put({ content: 'puts 2\n' })).file_name, 'one.rb');
      assert.equal((await put({ file_name: 'two.rb' })).file_name, 'two.rb');
      assert.equal((await call('GET', `/snippets/${id}/raw`)).text, 'puts 2\n');
      const moved = await put({
        files: [
          { action: 'move', previous_path: 'two.rb', file_path: 'lib/three.rb' },
          { action: 'create', file_path: 'notes.md', content: 'hi' },
        ],
      });
      assert.equal(moved.file_name, 'lib/three.rb');
      assert.deepEqual(
        moved.files.map(({ path }: { path: string }) => path),
        ['lib/three.rb', 'notes.md'],
      );
      assert.deepEqual(await put({ content: 'x' }), {
        message: 'To update Snippets with multiple files, you must use the `files` parameter',
      });
      assert.deepEqual(await put({ files: [{ action: 'delete', file_path: 'none' }] }), {
        message: "A file with this name doesn't exist",
      });
      const half = [
        { action: 'delete', file_path: 'notes.md' },
        { action: 'delete', file_path: 'none' },
      ];
      await put({ files: half });
      assert.equal((await call('GET', `/snippets/${id}`)).body.files.length, 2);
      assert.equal((await put({ files: [{ action: 'delete', file_path: 'notes.md' }] })).files.length, 1);
    });

    it("are refused in GitLab's words", async () => {
      const post = async (body: Record<string, unknown>) => {
        const { status, body: said } = await call('POST', '/snippets', { body });
        return [status, said.error ?? said.message];
      };
      const needed = 'files, content are missing, exactly one parameter must be provided';
      assert.deepEqual(await post({}), [400, `title is missing, title is empty, ${needed}`]);
      assert.deepEqual(await post({ title: '', content: 'x', file_name: 'x' }), [400, 'title is empty']);
      assert.deepEqual(await post({ title: 'x', content: 'x' }), [400, 'file_name is missing']);
      assert.deepEqual(await post({ ...one, visibility: 'secret' }), [
        400,
        'visibility does not have a valid value',
      ]);
      assert.deepEqual(await post({ ...one, content: 'x', file_name: 'x' }), [
        400,
        'files, file_name are mutually exclusive, files, content are mutually exclusive',
      ]);
      assert.deepEqual(await post({ ...one, files: [{ file_path: '.git/x', content: 'x' }] }), [
        400,
        'file_path should be a valid file path',
      ]);
      assert.deepEqual(await post({ ...one, title: 'x'.repeat(256) }), [
        400,
        { title: ['is too long (maximum is 255 characters)'] },
      ]);
      const { id } = await make('', 'private');
      const empty = await call('PUT', `/snippets/${id}`, { body: {} });
      assert.equal(empty.status, 400);
      assert.match(empty.body.error, /at least one parameter must be provided/);
    });

    it('are shown to whom their visibility lets', async () => {
      const [priv, internal, pub] = [
        await make('', 'private'),
        await make('', 'internal'),
        await make('', 'public'),
      ];
      const seen = async (person: Person) => {
        const replies = await Promise.all(
          [priv, internal, pub].map(({ id }) => as(person, 'GET', `/snippets/${id}`)),
        );
        return replies.map(({ status }) => status);
      };
      assert.deepEqual(await seen(author), [200, 200, 200]);
      assert.deepEqual(await seen(stranger), [404, 200, 200]);
      assert.deepEqual(await seen(external), [404, 404, 200]);
      assert.deepEqual(await seen({ user: author.user, token: service.rootToken }), [200, 200, 200]);
      assert.deepEqual((await as(stranger, 'GET', `/snippets/${priv.id}/raw`)).body, {
        message: '404 Snippet Not Found',
      });
      assert.equal((await call('GET', `/snippets/${pub.id}`, { token: null })).status, 401);
    });

    it('are shown in projects by the stricter of project and snippet, and lists agree with single reads', async () => {
      const people = () => [author, maintainer, guest, stranger, external];
      for (const home of ['private', 'internal', 'public'] as const) {
        for (const access of ['enabled', 'private', 'disabled'] as const) {
          const at = await project(home, { snippets_access_level: 'enabled' });
          const made: { id: number }[] = [];
          for (const visibility of ['private', 'internal', 'public'] as const) {
            made.push(await make(inProject(at), visibility));
          }
          await service.api('PUT', inProject(at), { body: { snippets_access_level: access } });
          for (const person of people()) {
            const single = [];
            for (const { id } of made) {
              const reply = await as(person, 'GET', `${inProject(at)}/snippets/${id}`);
              const direct = await as(person, 'GET', `/snippets/${id}`);
              assert.equal(direct.status === 200, reply.status === 200);
              if (reply.status === 200) single.push(id);
            }
            const all = await as(person, 'GET', '/snippets/all', undefined);
            const listed = idsOf(all).filter((id) => made.some((each) => each.id === id));
            const label = `${home} ${access} ${person.user.username}`;
            assert.deepEqual(listed.sort(), single.sort(), label);
            const list = await as(person, 'GET', `${inProject(at)}/snippets`);
            if (list.status === 200) assert.deepEqual(idsOf(list).sort(), single, label);
            else assert.deepEqual(single, [], label);
          }
        }
      }
      const closed = await project('public', { snippets_access_level: 'disabled' });
      assert.equal((await as(author, 'GET', `${inProject(closed)}/snippets`)).status, 403);
    });

    it('are changed by their authors and by maintainers', async () => {
      const at = await project('public');
      const { id } = await make(inProject(at), 'public');
      const path = `${inProject(at)}/snippets/${id}`;
      const title = { title: 'Changed' };
      assert.equal((await as(author, 'PUT', path, title)).status, 200);
      assert.equal((await as(maintainer, 'PUT', path, title)).status, 200);
      assert.equal((await as(guest, 'PUT', path, title)).status, 403);
      assert.equal((await as(stranger, 'DELETE', path)).status, 403);
      assert.equal((await as(maintainer, 'PUT', `/snippets/${id}`, title)).status, 404);
      assert.equal((await as(author, 'PUT', `/snippets/${id}`, title)).status, 200);
      assert.equal((await as(guest, 'POST', `${inProject(at)}/snippets`, one)).status, 403);
      const elsewhere = await project();
      assert.equal((await call('GET', `${inProject(elsewhere)}/snippets/${id}`)).status, 404);
      await service.api('POST', `${inProject(at)}/archive`);
      assert.equal((await as(author, 'GET', path)).status, 200);
      assert.equal((await as(author, 'PUT', path, title)).status, 403);
      assert.equal((await as(author, 'PUT', `/snippets/${id}`, title)).status, 403);
      assert.equal((await as(author, 'DELETE', `/snippets/${id}`)).status, 403);
      assert.equal((await as(external, 'POST', '/snippets', one)).status, 403);
      const own = await make('', 'public');
      assert.equal((await as(stranger, 'PUT', `/snippets/${own.id}`, title)).status, 404);
      assert.equal((await as(stranger, 'DELETE', `/snippets/${own.id}`)).status, 404);
      assert.equal((await service.api('PUT', `/snippets/${own.id}`, { body: title })).status, 200);
    });

    it('are listed newest first, page by page', async () => {
      const writer = await seedUser(service.core, `writer${++count}`);
      const made: number[] = [];
      for (const visibility of ['private', 'internal', 'public'] as const) {
        made.unshift((await as(writer, 'POST', '/snippets', { ...one, visibility })).body.id);
      }
      const mine = await as(writer, 'GET', '/snippets');
      assert.deepEqual([idsOf(mine), mine.headers['x-total']], [made, '3']);
      const second = await as(writer, 'GET', '/snippets?per_page=2&page=2');
      assert.deepEqual(idsOf(second), [made[2]]);
      const open = idsOf(await as(stranger, 'GET', '/snippets/public?per_page=100'));
      assert.ok(open.includes(made[0]!) && !open.includes(made[1]!) && !open.includes(made[2]!));
      const { created_at } = mine.body[1];
      const after = idsOf(await as(writer, 'GET', `/snippets?created_after=${created_at}`));
      assert.ok(after.includes(made[0]!) && after.includes(made[1]!));
      assert.deepEqual(idsOf(await as(writer, 'GET', '/snippets?created_before=2020-01-01')), []);
    });

    it('tell administrators where they were made', async () => {
      const headers = { 'user-agent': 'test/1.0' };
      const { body } = await call('POST', '/snippets', { body: one, headers });
      const path = `/snippets/${body.id}/user_agent_detail`;
      assert.equal((await call('GET', path)).status, 403);
      const detail = await service.api('GET', path);
      assert.deepEqual(detail.body, {
        user_agent: 'test/1.0',
        ip_address: '127.0.0.1',
        akismet_submitted: false,
      });
    });

    it('go with their files and what was said about them', async () => {
      const at = await project();
      const { id } = await make(inProject(at), 'private');
      const note = { project_id: at.id, noteable_type: 'Snippet', noteable_id: id, body: 'hi' } as const;
      const now = service.core.clock.now();
      await service.core.db
        .insertInto('notes')
        .values({ ...note, discussion_id: 'd'.repeat(40), created_at: now, updated_at: now })
        .execute();
      assert.equal((await call('DELETE', `${inProject(at)}/snippets/${id}`)).status, 204);
      assert.equal((await call('DELETE', `${inProject(at)}/snippets/${id}`)).status, 404);
      const left = await service.core.db
        .selectFrom('notes')
        .select('id')
        .where('noteable_id', '=', id)
        .execute();
      assert.deepEqual(left, []);
      const files = service.core.db.selectFrom('snippet_files').select('path').where('snippet_id', '=', id);
      assert.deepEqual(await files.execute(), []);
    });

    it('stay in the name of the ghost when their author goes, personal ones go with him', async () => {
      const leaver = await seedUser(service.core, `leaver${++count}`);
      const at = await project('public');
      await seedMember(service.core, at, leaver.user, Level.reporter);
      const personal = (await as(leaver, 'POST', '/snippets', { ...one, visibility: 'public' })).body;
      const body = { ...one, visibility: 'public' };
      const shared = (await as(leaver, 'POST', `${inProject(at)}/snippets`, body)).body;
      assert.equal((await service.api('DELETE', `/users/${leaver.user.id}`)).status, 204);
      assert.equal((await as(stranger, 'GET', `/snippets/${personal.id}`)).status, 404);
      const kept = await as(stranger, 'GET', `/snippets/${shared.id}`);
      assert.equal(kept.body.author.username, 'ghost');
    });

    it('count for the size of their project', async () => {
      const at = await project();
      await make(inProject(at), 'private', { files: [{ file_path: 'a', content: 'é'.repeat(100) }] });
      const { body } = await service.api('GET', inProject(at), { query: { statistics: true } });
      assert.equal(body.statistics.snippets_size, 200);
    });

    it('keep every change when many come at once', async () => {
      const { id } = await make('', 'private');
      const adds = Array.from({ length: 8 }, (_, index) => [
        { action: 'create', file_path: `f${index}`, content: 'x' },
      ]);
      const replies = await Promise.all(
        adds.map((files) => call('PUT', `/snippets/${id}`, { body: { files } })),
      );
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
      assert.equal((await call('GET', `/snippets/${id}`)).body.files.length, 9);
    });
  });
}
