import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { dialects } from '../../../test/support/databases.ts';
import { seedMember, seedPerson, seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { openDiskStore } from '../../platform/objects/disk.ts';
import { eraseJob } from '../artifacts/erase-job.ts';
import { endJob, type RunningJob, seedJob } from '../artifacts/testing/running-job.ts';
import { wholeCharacters } from './follow.ts';
import { Traces } from './traces.ts';

for (const kind of dialects) {
  describe(`logs of jobs, on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'logs', { visibility: 'internal' });
    });
    after(() => service.close());

    const patch = (
      { job, token }: Pick<RunningJob, 'job' | 'token'>,
      start: number,
      text: string | Buffer,
      headers: Record<string, string> = {},
      query = '',
    ) => {
      const payload = Buffer.from(text);
      const range = `${start}-${start + Math.max(payload.length, 1) - 1}`;
      return service.api('PATCH', `/jobs/${job.id}/trace${query}`, {
        token: null,
        payload,
        headers: { 'job-token': token, 'content-type': 'text/plain', 'content-range': range, ...headers },
      });
    };
    const pathOf = (id: number) => `/projects/${project.id}/jobs/${id}/trace`;
    const read = (id: number, headers: Record<string, string> = {}) =>
      service.api('GET', pathOf(id), { headers });
    const start = (spec: Parameters<typeof seedJob>[2] = {}) => seedJob(service.core, project, spec);

    /** Of another process on the same database and folder: nothing that one remembers may matter. */
    const ofAnotherProcess = async () =>
      new Traces({
        ...service.core,
        objects: await openDiskStore({ dir: join(service.dataDir, 'objects'), fsync: false, shared: true }),
        dir: join(service.dataDir, 'traces'),
        secretsOf: async () => [],
      });

    it('are empty at first, and there is none of a job that nobody has taken', async () => {
      const running = await start();
      const reply = await read(running.job.id);
      assert.equal(reply.status, 200);
      assert.equal(reply.text, '');
      await service.core.db
        .updateTable('jobs')
        .set({ started_at: null })
        .where('id', '=', running.job.id)
        .execute();
      assert.equal((await read(running.job.id)).status, 404);
      assert.equal((await read(999_999)).status, 404);
    });

    it('show each piece once it was acknowledged, in the words of the protocol', async () => {
      const running = await start();
      const first = await patch(running, 0, 'hello\n');
      assert.equal(first.status, 202);
      assert.equal(first.headers['range'], '0-6');
      assert.equal(first.headers['job-status'], 'running');
      assert.equal(first.headers['x-gitlab-trace-update-interval'], '3');
      assert.equal((await read(running.job.id)).text, 'hello\n');
      assert.equal((await patch(running, 6, 'wörld\n')).headers['range'], '0-13');
      const reply = await read(running.job.id);
      assert.equal(reply.text, 'hello\nwörld\n');
      assert.equal(reply.headers['content-type'], 'text/plain');
      assert.equal(reply.headers['content-disposition'], `infile; filename="${running.job.id}.log"`);
    });

    it('refuse gaps and overlaps with what they have, and take a piece twice', async () => {
      const running = await start();
      await patch(running, 0, '0123456789');
      for (const [at, text] of [
        [11, 'x'],
        [5, '56789abc'],
        [0, 'x'],
      ] as const) {
        const reply = await patch(running, at, text);
        assert.equal(reply.status, 416);
        assert.deepEqual(reply.body, { message: '416 Range Not Satisfiable' });
        assert.equal(reply.headers['range'], '0-10');
        assert.equal(reply.headers['job-status'], 'running');
      }
      assert.equal((await patch(running, 5, '56789')).status, 202);
      assert.equal((await patch(running, 10, '')).status, 202);
      assert.equal((await read(running.job.id)).text, '0123456789');
    });

    it('take no piece without a place, of a wrong shape, or too big', async () => {
      const running = await start();
      const headers = { 'job-token': running.token, 'content-type': 'text/plain' };
      const call = (more: Record<string, string>, payload: string | Buffer = 'x') =>
        service.api('PATCH', `/jobs/${running.job.id}/trace`, {
          token: null,
          headers: { ...headers, ...more },
          payload,
        });
      const missing = await call({});
      assert.equal(missing.status, 400);
      assert.deepEqual(missing.body, { error: '400 Missing header Content-Range' });
      for (const range of ['', 'a-b', '-5-1', '1e3-5', '99999999999999999999-1']) {
        assert.equal((await call({ 'content-range': range })).status, 400, range);
      }
      const tooBig = await call({ 'content-range': '0-1' }, Buffer.alloc(10 * 1024 * 1024 + 1));
      assert.equal(tooBig.status, 413);
      assert.equal((await read(running.job.id)).text, '');
    });

    it('take a large piece whole, secrets in its middle covered, and know it when it comes again', async () => {
      const running = await start();
      const piece = Buffer.alloc(2_500_000, '0123456789\n');
      // across the place where the piece is cut into steps
      piece.write(running.token, 1024 * 1024 - 10);
      await patch(running, 0, 'head\n');
      const size = piece.length + 5;
      for (let sent = 0; sent < 2; sent++) {
        const reply = await patch(running, 5, piece);
        assert.deepEqual([reply.status, reply.headers['range']], [202, `0-${size}`]);
      }
      assert.equal((await patch(running, 6, piece)).headers['range'], `0-${size}`);
      const covered = Buffer.from(piece);
      covered.fill('x', 1024 * 1024 - 10, 1024 * 1024 - 10 + running.token.length);
      assert.ok((await read(running.job.id)).bytes.equals(Buffer.concat([Buffer.from('head\n'), covered])));
    });

    it('are written by nobody but the job', async () => {
      const [mine, other] = [await start(), await start()];
      for (const token of [other.token, '', 'glcbt-forged', service.rootToken]) {
        const reply = await patch({ job: mine.job, token }, 0, 'evil');
        assert.equal(reply.status, 403);
        assert.deepEqual(reply.body, { message: '403 Forbidden' });
      }
      assert.equal(
        (await patch({ job: { ...mine.job, id: 999_999 }, token: mine.token }, 0, 'x')).status,
        403,
      );
      assert.equal((await read(mine.job.id)).text, '');
      await endJob(service.core, mine.job.id);
      const late = await patch(mine, 0, 'late');
      assert.equal(late.status, 403);
      assert.equal(late.headers['job-status'], 'success');
    });

    it('are sealed when the job has ended, and read the same', async () => {
      const running = await start();
      const text = 'line\n'.repeat(1000);
      await patch(running, 0, text);
      await endJob(service.core, running.job.id, 'failed');
      assert.equal((await read(running.job.id)).text, text);
      const row = await service.core.db
        .selectFrom('job_artifacts')
        .selectAll()
        .where('job_id', '=', running.job.id)
        .executeTakeFirstOrThrow();
      assert.equal(row.file_type, 'trace');
      assert.equal(row.state, 'stored');
      assert.equal(row.size, text.length);
    });

    it('are gone when the job is erased', async () => {
      const running = await start();
      await patch(running, 0, 'x');
      await endJob(service.core, running.job.id);
      await service.core.database.transaction(async (tx) => {
        await eraseJob(tx, running.job.id);
        await tx.updateTable('jobs').set({ erased_at: 1 }).where('id', '=', running.job.id).execute();
      });
      assert.equal((await read(running.job.id)).status, 404);
    });

    it('are read in part, and asked about', async () => {
      const running = await start();
      await patch(running, 0, '0123456789');
      const { id } = running.job;
      const part = await read(id, { range: 'bytes=2-4' });
      assert.equal(part.status, 206);
      assert.equal(part.text, '234');
      assert.equal(part.headers['content-range'], 'bytes 2-4/10');
      const beyond = await read(id, { range: 'bytes=10-' });
      assert.equal(beyond.status, 416);
      assert.equal(beyond.headers['content-range'], 'bytes */10');
      const head = await service.api('HEAD', pathOf(id));
      assert.equal(head.status, 200);
      assert.equal(head.headers['content-length'], '10');
      assert.equal(head.text, '');
    });

    it('cover the job’s token and masked variables, and count the same bytes', async () => {
      await service.api('POST', `/projects/${project.id}/variables`, {
        body: { key: 'PASSWORD', value: 'correct-horse', masked: true },
      });
      const running = await start();
      const text = `use ${running.token} and correct-horse\n`;
      await patch(running, 0, text.slice(0, 10));
      assert.equal((await patch(running, 10, text.slice(10))).headers['range'], `0-${text.length}`);
      const shown = (await read(running.job.id)).text;
      assert.equal(shown, `use ${'x'.repeat(running.token.length)} and ${'x'.repeat(13)}\n`);
    });

    it('are held against what the runner says of them', async () => {
      const traces = await ofAnotherProcess();
      const running = await start();
      await patch(running, 0, 'all of it');
      const sum = `crc32:${crc32('all of it').toString(16).padStart(8, '0')}`;
      assert.equal(await traces.check(running.job, { checksum: sum, bytesize: 9 }), 'whole');
      assert.equal(await traces.check(running.job, {}), 'whole');
      assert.equal(await traces.check(running.job, { bytesize: 10 }), 'resend');
      assert.equal((await patch(running, 0, 'all of')).status, 202, 'it begins anew');
      await patch(running, 6, ' it');
      assert.equal(await traces.check(running.job, { checksum: sum, bytesize: 9 }), 'whole');
      assert.equal(await traces.check(running.job, { checksum: 'crc32:00000001' }), 'resend');
      assert.equal(await traces.check(running.job, { checksum: 'crc32:00000001' }), 'broken');
      await endJob(service.core, running.job.id, 'failed');
      assert.match((await read(running.job.id)).text, /all of it|not the one that the runner sent/);
    });

    it('fail the job when they reach the limit, and say so', async () => {
      const limit = await service.api('PUT', `/projects/${project.id}`, {
        body: { ci_jobs_trace_size_limit: 1 },
      });
      assert.equal(limit.body.ci_jobs_trace_size_limit, 1);
      const running = await start();
      await patch(running, 0, Buffer.alloc(1024 * 1024, 'a'));
      const reply = await patch(running, 1024 * 1024, 'one more');
      assert.equal(reply.status, 403);
      assert.match(reply.body.message, /limit of 1 MB/);
      assert.equal(reply.headers['job-status'], 'failed');
      const job = await running.pipeline.job('build');
      assert.deepEqual([job.status, job.failure_reason], ['failed', 'trace_size_exceeded']);
      const { text } = await read(running.job.id);
      assert.match(
        text.slice(1024 * 1024),
        /^\n.*ERROR: The log has reached the limit of 1 MB and is cut here\./,
      );
      await service.api('PUT', `/projects/${project.id}`, { body: { ci_jobs_trace_size_limit: null } });
    });

    it('of a job that prints its variables are for those who may change it', async () => {
      const running = await start();
      await patch(running, 0, 'SECRET=1', {}, '?debug_trace=true');
      const guest = await seedPerson(service.core, `guest-${kind}`);
      const developer = await seedPerson(service.core, `developer-${kind}`);
      await seedMember(service.core, project, guest, 10);
      await seedMember(service.core, project, developer, 30);
      const as = (token: string) => service.api('GET', pathOf(running.job.id), { token });
      assert.equal((await as(guest.token)).status, 403);
      assert.equal((await as(developer.token)).status, 200);
      const plain = await start();
      await patch(plain, 0, 'x');
      assert.equal((await service.api('GET', pathOf(plain.job.id), { token: guest.token })).status, 200);
      assert.equal((await service.api('GET', pathOf(plain.job.id), { token: null })).status, 401);
    });

    it('are cut by byte_offset and byte_limit, while they grow and when the job has ended', async () => {
      const running = await start();
      await patch(running, 0, '0123456789');
      const part = (query: Record<string, unknown>, method = 'GET') =>
        service.api(method, pathOf(running.job.id), { query });
      for (const isEnded of [false, true]) {
        if (isEnded) await endJob(service.core, running.job.id);
        for (const [query, text] of [
          [{ byte_offset: 7 }, '789'],
          [{ byte_offset: 2, byte_limit: 3 }, '234'],
          [{ byte_limit: 4 }, '0123'],
          [{ byte_offset: 8, byte_limit: 100 }, '89'],
          [{ byte_offset: 10 }, ''],
          [{ byte_offset: 99, byte_limit: 1 }, ''],
        ] as const) {
          const reply = await part(query);
          assert.deepEqual([reply.status, reply.text], [200, text], JSON.stringify(query));
          assert.equal((await part(query, 'HEAD')).headers['content-length'], String(text.length));
        }
      }
      assert.equal((await part({ byte_offset: -1 })).status, 400);
      assert.equal((await part({ byte_limit: 'x' })).status, 400);
    });

    it('are searched from the first line to the last', async () => {
      const running = await start();
      const lines = Array.from({ length: 500 }, (_, i) =>
        i % 100 === 7 ? `\x1b[31mError ${i}\x1b[0m\r` : `fine ${i}`,
      );
      await patch(running, 0, lines.join('\n'));
      const first = await service.api('GET', pathOf(running.job.id), {
        query: { search: 'eRROR', per_page: 3 },
      });
      assert.equal(first.status, 200);
      assert.deepEqual(
        first.body.map(({ line, text }: { line: number; text: string }) => [line, text]),
        [
          [8, 'Error 7'],
          [108, 'Error 107'],
          [208, 'Error 207'],
        ],
      );
      assert.equal(first.headers['x-next-page'], '2');
      const second = await service.api('GET', pathOf(running.job.id), {
        query: { search: 'error', per_page: 3, page: 2 },
      });
      assert.equal(second.body.length, 2);
      assert.equal(second.headers['x-next-page'], '');
      const offset = lines.slice(0, 107).join('\n').length + 1;
      assert.equal(first.body[1].offset, offset);
    });

    it('are followed as they grow, until the job has ended', async () => {
      const running = await start();
      await patch(running, 0, 'first €\n');
      const reply = await fetch(`${service.baseUrl}/api/v4${pathOf(running.job.id)}`, {
        headers: { 'private-token': service.rootToken, accept: 'text/event-stream' },
      });
      assert.equal(reply.headers.get('content-type'), 'text/event-stream');
      const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
      let seen = '';
      const until = async (wanted: string) => {
        while (!seen.includes(wanted)) {
          const { value, done } = await reader.read();
          if (done) break;
          seen += value;
        }
        assert.ok(seen.includes(wanted), `${wanted} in ${seen}`);
      };
      await until('data: "first €\\n"\n\n');
      const euro = Buffer.from('€');
      await patch(running, 10, Buffer.concat([Buffer.from('second '), euro.subarray(0, 1)]));
      await until('data: "second "');
      await patch(running, 18, euro.subarray(1));
      await until('data: "€"');
      await endJob(service.core, running.job.id);
      await until('event: end');
      assert.match(seen, /event: end\nid: 20\ndata: {"status":"success"}/);
      assert.equal((await reader.read()).done, true);
      const rest = await fetch(`${service.baseUrl}/api/v4${pathOf(running.job.id)}`, {
        headers: { 'private-token': service.rootToken, accept: 'text/event-stream', 'last-event-id': '10' },
      });
      assert.match(await rest.text(), /^event: log\nid: 20\ndata: "second €"\n\nevent: end/);
    });

    it('give the job its coverage', async () => {
      const running = await start({ definition: { coverage: 'Coverage: (\\d+\\.\\d+)%' } });
      await patch(running, 0, 'Coverage: 10.5%\nnoise\n\x1b[1mCoverage: 87.25%\x1b[0m of lines 5\nend\n');
      await endJob(service.core, running.job.id);
      assert.equal((await running.pipeline.job('build')).coverage, 87.25);
    });
  });
}

describe('the end of a piece', () => {
  it('is after the last whole character', () => {
    const text = Buffer.from('a€😀');
    const ends = Array.from({ length: text.length + 1 }, (_, i) => wholeCharacters(text.subarray(0, i)));
    assert.deepEqual(ends, [0, 1, 1, 1, 4, 4, 4, 4, 8]);
    assert.equal(wholeCharacters(Buffer.from([0x80, 0x80, 0x80, 0x80])), 4, 'bytes that are no text stay');
  });
});
