import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';

const run = promisify(execFile);

describe('GET /projects/:id/snapshot', () => {
  let service: TestService;
  let folder: string;
  let path: string;
  let owner: string;
  before(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'ingot-snapshot-'));
    const person = await seedUser(service.core, 'owner');
    owner = person.token;
    const project = await seedProject(service.core, 'p');
    await seedMember(service.core, project, person.user, 50);
    await seedCommit(service.core, project, { branch: 'main', files: { 'a.txt': 'a' } });
    path = `/projects/${project.id}/snapshot`;
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers a tar file, unpacked a repository to clone from', async () => {
    const answer = await service.api('GET', path);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/x-tar');
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="snapshot.tar"');
    await writeFile(join(folder, 'snapshot.tar'), answer.bytes);
    await run('tar', ['xf', 'snapshot.tar'], { cwd: folder });
    await run('git', ['clone', '-q', folder, join(folder, 'clone')]);
    assert.equal(await readFile(join(folder, 'clone/a.txt'), 'utf8'), 'a');
  });

  it('tells the headers alone to HEAD', async () => {
    const answer = await service.api('HEAD', path);
    assert.equal(answer.headers['content-type'], 'application/x-tar');
    assert.equal(answer.bytes.length, 0);
  });

  it('is for administrators only', async () => {
    assert.equal((await service.api('GET', path, { token: null })).status, 401);
    const refused = await service.api('GET', path, { token: owner });
    assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
  });

  it('is missing for a wiki that nobody has begun and for a project that is not there', async () => {
    const wiki = await service.api('GET', path, { query: { wiki: true } });
    assert.deepEqual([wiki.status, wiki.body], [404, { message: '404 Wiki Not Found' }]);
    const none = await service.api('GET', '/projects/9999/snapshot');
    assert.deepEqual([none.status, none.body], [404, { message: '404 Project Not Found' }]);
  });

  it('is that of the wiki where that is asked for', async () => {
    const page = { title: 'home', content: 'text' };
    const written = await service.api('POST', path.replace(/snapshot$/, 'wikis'), { body: page });
    assert.equal(written.status, 201);
    const answer = await service.api('GET', path, { query: { wiki: true } });
    const wiki = join(folder, 'wiki');
    await mkdir(wiki);
    await writeFile(join(wiki, 'snapshot.tar'), answer.bytes);
    await run('tar', ['xf', 'snapshot.tar'], { cwd: wiki });
    await run('git', ['clone', '-q', wiki, join(folder, 'pages')]);
    assert.equal(await readFile(join(folder, 'pages/home.md'), 'utf8'), 'text');
  });
});
