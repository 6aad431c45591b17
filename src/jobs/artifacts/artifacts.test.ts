import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { dialects } from '../../../test/support/databases.ts';
import { seedMember, seedPerson, seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { seedPipeline } from '../processing/testing.ts';
import { dotenvVariables } from '../reports/dotenv-store.ts';
import { endJob, seedJob, takeJob } from './testing/running-job.ts';
import { FORM_TYPE, formOf, upload, zipOf } from './testing/upload.ts';

for (const kind of dialects) {
  describe(`artifacts, on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let archive: Buffer;
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'made', { visibility: 'internal' });
      archive = await zipOf({
        'a.txt': 'first\n',
        'dir/': '',
        'dir/b c.json': '{"b":1}',
        'dir/deep/ü.html': '<script>alert(1)</script>',
      });
    });
    after(() => service.close());

    const at = (path: string) => `/projects/${project.id}/jobs/${path}`;
    const get = (path: string, options = {}) => service.api('GET', at(path), options);
    const running = (spec = {}, pipeline = {}) => seedJob(service.core, project, spec, pipeline);
    const rowsOf = (jobId: number) =>
      service.core.db.selectFrom('job_artifacts').selectAll().where('job_id', '=', jobId).execute();

    it('are uploaded by the job and fetched by its readers', async () => {
      const made = await running();
      const reply = await upload(service, made, archive, {
        query: { expire_in: '1 week', artifact_format: 'zip' },
      });
      assert.equal(reply.status, 201, reply.text);
      assert.equal(reply.text, '201');
      const fetched = await get(`${made.job.id}/artifacts`);
      assert.equal(fetched.status, 200);
      assert.deepEqual(fetched.bytes, archive);
      assert.equal(fetched.headers['content-disposition'], 'attachment; filename="artifacts.zip"');
      assert.equal(fetched.headers['content-type'], 'application/octet-stream');
      const { body } = await get(String(made.job.id));
      assert.deepEqual(body.artifacts_file, { filename: 'artifacts.zip', size: archive.length });
      const week = Date.parse(body.artifacts_expire_at) - service.core.clock.now();
      assert.ok(week > 6 * 86_400_000 && week <= 7 * 86_400_000);
      const { body: sized } = await service.api('GET', `/projects/${project.id}`, {
        query: { statistics: true },
      });
      const sizes = body.artifacts.map(({ size }: { size: number }) => size);
      assert.equal(
        sized.statistics.job_artifacts_size,
        sizes.reduce((sum: number, size: number) => sum + size, 0),
      );
      const part = await get(`${made.job.id}/artifacts`, { headers: { range: 'bytes=0-3' } });
      assert.equal(part.status, 206);
      assert.deepEqual(part.bytes, archive.subarray(0, 4));
      const known = await get(`${made.job.id}/artifacts`, {
        headers: { 'if-none-match': fetched.headers['etag']! },
      });
      assert.equal(known.status, 304);
      const head = await service.api('HEAD', at(`${made.job.id}/artifacts`));
      assert.equal(head.headers['content-length'], String(archive.length));
      assert.equal((await get(`${made.job.id}/artifacts`, { token: null })).status, 401);
    });

    it('give single files', async () => {
      const made = await running();
      await upload(service, made, archive);
      const file = (path: string, options = {}) => get(`${made.job.id}/artifacts/${path}`, options);
      const first = await file('a.txt');
      assert.equal(first.status, 200);
      assert.equal(first.text, 'first\n');
      assert.equal(first.headers['content-type'], 'text/plain');
      assert.equal(first.headers['content-length'], '6');
      assert.equal((await file('dir/b%20c.json')).text, '{"b":1}');
      assert.equal((await file('dir%2Fb%20c.json')).text, '{"b":1}');
      const page = await file('dir/deep/%C3%BC.html');
      assert.equal(page.headers['content-type'], 'text/plain', 'nothing that a browser would run');
      assert.match(page.headers['content-disposition']!, /^attachment/);
      const head = await service.api('HEAD', at(`${made.job.id}/artifacts/a.txt`));
      assert.equal(head.headers['content-length'], '6');
      for (const path of ['none.txt', 'dir', 'dir/', 'A.txt']) {
        assert.equal((await file(path)).status, 404, path);
      }
      for (const path of ['..%2Fa.txt', 'dir/..%2Fa.txt', '%2Fetc/passwd', 'a%00.txt', '%FF']) {
        assert.equal((await file(path)).status, 400, path);
      }
    });

    it('are listed as a tree', async () => {
      const made = await running();
      await upload(service, made, archive);
      const tree = async (query = {}) => {
        const { status, body } = await get(`${made.job.id}/artifacts/tree`, { query });
        return status === 200
          ? body.map(({ path, type }: { path: string; type: string }) => `${type} ${path}`)
          : status;
      };
      assert.deepEqual(await tree(), ['directory dir/', 'file a.txt']);
      assert.deepEqual(await tree({ path: 'dir' }), ['directory dir/deep/', 'file dir/b c.json']);
      assert.deepEqual(await tree({ recursive: true }), [
        'directory dir/',
        'directory dir/deep/',
        'file a.txt',
        'file dir/b c.json',
        'file dir/deep/ü.html',
      ]);
      assert.equal(await tree({ path: 'none' }), 404);
      const bare = await get(`${(await running()).job.id}/artifacts/tree`);
      assert.deepEqual([bare.status, bare.body], [404, { message: '404 Artifacts Not Found' }]);
    });

    it('are found by branch or tag, in the newest pipeline that succeeded', async () => {
      const ref = 'feat/raw/x';
      const [older, newer] = [
        await running({ name: 'pack' }, { ref }),
        await running({ name: 'pack' }, { ref }),
      ];
      await upload(service, older, archive);
      await upload(service, newer, await zipOf({ 'new.txt': 'new' }));
      const byRef = (path: string) => get(`artifacts/${path}`);
      assert.equal((await byRef(`${ref}/download?job=pack`)).status, 404, 'none has ended');
      await endJob(service.core, older.job.id);
      assert.deepEqual((await byRef(`${ref}/download?job=pack`)).bytes, archive);
      assert.deepEqual((await byRef(`feat%2Fraw%2Fx/download?job=pack`)).bytes, archive);
      assert.equal((await byRef(`${ref}/raw/a.txt?job=pack`)).text, 'first\n');
      assert.equal((await byRef(`${encodeURIComponent(ref)}/raw/dir%2Fb%20c.json?job=pack`)).text, '{"b":1}');
      await endJob(service.core, newer.job.id);
      assert.equal((await byRef(`${ref}/raw/new.txt?job=pack`)).text, 'new');
      assert.equal((await byRef(`${ref}/raw/a.txt?job=pack`)).status, 404);
      assert.equal((await byRef(`${ref}/raw/../a.txt?job=pack`)).status, 404, 'the client has resolved it');
      assert.equal((await byRef(`${ref}/raw/%2e%2e%2fa.txt?job=pack`)).status, 400);
      assert.deepEqual((await byRef(`${ref}/download`)).body, { error: 'job is missing' });
      assert.deepEqual((await byRef(`${ref}/download?job=other`)).body, { message: '404 Not found' });
      const backwards = await byRef(`${ref}/download?job=other&search_recent_successful_pipelines=true`);
      assert.deepEqual([backwards.status, backwards.body], [404, { message: '404 Job Not Found' }]);
      assert.equal((await byRef(`HEAD/download?job=pack`)).status, 404);
      assert.equal((await byRef(`${'a'.repeat(40)}/download?job=pack`)).status, 404);
    });

    it('are handed on to jobs that are running', async () => {
      const pipeline = await seedPipeline(service.core, project, {
        first: { stage: 0 },
        second: { stage: 1 },
      });
      const first = await takeJob(service.core, pipeline, 'first');
      await upload(service, first, archive);
      await endJob(service.core, first.job.id);
      const second = await takeJob(service.core, pipeline, 'second');
      const fetch = (token: string, id = first.job.id) =>
        service.api('GET', `/jobs/${id}/artifacts?direct_download=true`, {
          token: null,
          headers: { 'job-token': token },
        });
      assert.deepEqual((await fetch(second.token)).bytes, archive);
      assert.equal((await fetch(first.token)).status, 401, 'its token ended with it');
      assert.equal((await fetch('glcbt-forged')).status, 401);
      assert.equal((await fetch(second.token, 999_999)).status, 403);
      assert.equal((await fetch(second.token, second.job.id)).status, 404);
      assert.equal(
        (await service.api('GET', `/jobs/${first.job.id}/artifacts`)).status,
        403,
        'who is no job',
      );
      const byToken = await get(`${first.job.id}/artifacts/a.txt`, {
        token: null,
        query: { job_token: second.token },
      });
      assert.equal(byToken.text, 'first\n');
    });

    it('are refused where something is wrong with them, and leave nothing', async () => {
      const made = await running();
      const cases: [status: number, what: string, reply: Promise<{ status: number; text: string }>][] = [
        [400, 'file is missing', upload(service, made, archive, { form: { name: 'other' } })],
        [400, 'artifact_type', upload(service, made, archive, { query: { artifact_type: 'nonsense' } })],
        [400, 'artifact_type', upload(service, made, archive, { query: { artifact_type: 'trace' } })],
        [
          400,
          'Invalid file format',
          upload(service, made, archive, { query: { artifact_type: 'junit', artifact_format: 'zip' } }),
        ],
        [400, 'Bad Request', upload(service, made, archive, { form: { end: false } })],
        [403, '403 Forbidden', upload(service, { ...made, token: 'glcbt-forged' }, archive)],
      ];
      for (const [status, what, asked] of cases) {
        const reply = await asked;
        assert.equal(reply.status, status, `${what}: ${reply.text}`);
        assert.match(reply.text, new RegExp(what));
      }
      for (const [type, text] of [
        ['application/zip', '{"error":"file is missing"}'],
        ['multipart/form-data', 'Bad Request'],
        ['multipart/form-data; boundary=other', 'Bad Request'],
      ] as const) {
        const reply = await service.api('POST', `/jobs/${made.job.id}/artifacts`, {
          token: null,
          payload: formOf(archive),
          headers: { 'job-token': made.token, 'content-type': type },
        });
        assert.deepEqual([reply.status, reply.text], [400, text], type);
      }
      const states = (await rowsOf(made.job.id)).map(({ state }) => state);
      assert.ok(
        states.every((state) => state === 'doomed'),
        states.join(),
      );
    });

    it('of one kind come once; the same bytes again are no harm', async () => {
      const made = await running();
      assert.equal((await upload(service, made, archive)).status, 201);
      assert.equal((await upload(service, made, archive)).status, 201);
      const other = await upload(service, made, await zipOf({ other: '' }));
      assert.equal(other.status, 400);
      assert.deepEqual(other.body, { message: 'another artifact of the same type already exists' });
      await endJob(service.core, made.job.id);
      const late = await upload(service, made, archive, {
        query: { artifact_type: 'sast', artifact_format: 'raw' },
      });
      assert.equal(late.status, 403);
      assert.equal(late.headers['job-status'], 'success');
      assert.deepEqual((await get(`${made.job.id}/artifacts`)).bytes, archive);
    });

    it('are as large as the limit allows, which the refusal states', async () => {
      await service.api('PUT', `/projects/${project.id}`, { body: { max_artifacts_size: 1 } });
      const made = await running();
      const reply = await upload(service, made, Buffer.alloc(1024 * 1024 + 1));
      assert.equal(reply.status, 413);
      assert.match(reply.body.message, /maximum size limit of 1 MB/);
      const ask = await service.api('POST', `/jobs/${made.job.id}/artifacts/authorize`, {
        token: null,
        headers: { 'job-token': made.token },
        query: { filesize: 2_000_000 },
      });
      assert.equal(ask.status, 413);
      assert.equal((await upload(service, made, Buffer.alloc(1024 * 1024))).status, 201);
      await service.api('PUT', `/projects/${project.id}`, { body: { max_artifacts_size: null } });
      const maintainer = await seedPerson(service.core, `maintainer-${kind}`);
      await seedMember(service.core, project, maintainer, 40);
      const raised = await service.api('PUT', `/projects/${project.id}`, {
        token: maintainer.token,
        body: { max_artifacts_size: 5 },
      });
      assert.equal(raised.body.max_artifacts_size, null, 'only administrators set it');
    });

    it('that are cut off leave nothing', async () => {
      const made = await running();
      const sending = request(`${service.baseUrl}/api/v4/jobs/${made.job.id}/artifacts`, {
        method: 'POST',
        headers: { 'job-token': made.token, 'content-type': FORM_TYPE, 'content-length': 10_000_000 },
      });
      sending.on('error', () => {}); // cut off below
      sending.write(formOf(Buffer.alloc(300_000), { end: false }));
      while ((await rowsOf(made.job.id)).length === 0) await wait(5);
      sending.destroy();
      while ((await rowsOf(made.job.id))[0]?.state !== 'doomed') await wait(5);
      assert.deepEqual(await readdir(join(service.dataDir, 'objects', '.tmp')), []);
      assert.equal((await get(`${made.job.id}/artifacts`)).status, 404);
    });

    it('are kept, and deleted by maintainers', async () => {
      const made = await running();
      await upload(service, made, archive, { query: { expire_in: '1 day' } });
      const kept = await service.api('POST', at(`${made.job.id}/artifacts/keep`));
      assert.equal(kept.status, 200);
      assert.equal(kept.body.artifacts_expire_at, null);
      assert.match(kept.body.download_url, /\/artifacts$/);
      const developer = await seedPerson(service.core, `artifact-developer-${kind}`);
      await seedMember(service.core, project, developer, 30);
      const keep = { token: developer.token };
      assert.equal((await service.api('POST', at(`${made.job.id}/artifacts/keep`), keep)).status, 200);
      await service.api('POST', `/projects/${project.id}/protected_branches`, { body: { name: 'guarded' } });
      const guarded = await running({}, { ref: 'guarded' });
      const { db } = service.core;
      await db.updateTable('jobs').set({ protected: 1 }).where('id', '=', guarded.job.id).execute();
      await upload(service, guarded, archive);
      const refused = await service.api('POST', at(`${guarded.job.id}/artifacts/keep`), keep);
      assert.equal(refused.status, 403, 'the branch is not for him');
      const remove = (options = {}) => service.api('DELETE', at(`${made.job.id}/artifacts`), options);
      assert.equal((await remove({ token: developer.token })).status, 403);
      assert.equal((await remove()).status, 204);
      assert.equal((await get(`${made.job.id}/artifacts`)).status, 404);
      assert.equal((await service.api('POST', at(`${made.job.id}/artifacts/keep`))).status, 404);
    });

    it('that are private are for developers', async () => {
      const made = await running();
      await upload(service, made, archive, { query: { accessibility: 'private' } });
      const guest = await seedPerson(service.core, `artifact-guest-${kind}`);
      await seedMember(service.core, project, guest, 10);
      assert.equal((await get(`${made.job.id}/artifacts`, { token: guest.token })).status, 403);
      assert.equal((await get(`${made.job.id}/artifacts/a.txt`, { token: guest.token })).status, 403);
      assert.equal((await get(String(made.job.id), { token: guest.token })).status, 200);
    });

    it('hand on variables', async () => {
      const made = await running();
      const dotenv = (text: string) =>
        upload(service, made, gzipSync(text), {
          query: { artifact_type: 'dotenv', artifact_format: 'gzip' },
          form: { filename: '.env.gz' },
        });
      for (const text of [
        'no variable',
        '\n',
        '# comment\nA=1',
        '1A=1',
        'A=1\n\nB=2',
        `A=${'x'.repeat(6000)}`,
      ]) {
        assert.equal((await dotenv(text)).status, 400, text.slice(0, 20));
      }
      assert.deepEqual(await dotenvVariables(service.core.db, [made.job.id]), []);
      assert.equal((await dotenv('VERSION = 1.2 \nURL=https://example.com/?a=b\nEMPTY=')).status, 201);
      assert.deepEqual(await dotenvVariables(service.core.db, [made.job.id]), [
        { key: 'VERSION', value: '1.2' },
        { key: 'URL', value: 'https://example.com/?a=b' },
        { key: 'EMPTY', value: '' },
      ]);
    });
  });
}
