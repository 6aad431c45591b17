import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { openDiskStore } from '../../platform/objects/disk.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { objectKey } from './store.ts';
import { seedJob } from './testing/running-job.ts';
import { upload, zipOf } from './testing/upload.ts';

const VERSION = 'GitLab Build Artifacts Metadata 0.0.2\n';

/** The texts of a metadata file, each after its length. */
function textsIn(packed: Buffer): Buffer[] {
  const bytes = gunzipSync(packed);
  const texts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    texts.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return texts;
}

function zipWith(fill: (zip: ZipFile) => void): Promise<Buffer> {
  const zip = new ZipFile();
  fill(zip);
  zip.end();
  return buffer(zip.outputStream);
}

for (const kind of dialects) {
  describe(`metadata of archives, on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let objects: ObjectStore;
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'listed');
      objects = await openDiskStore({ dir: `${service.dataDir}/objects`, fsync: false, shared: true });
    });
    after(() => service.close());

    const rowsOf = (jobId: number) =>
      service.core.db
        .selectFrom('job_artifacts')
        .selectAll()
        .where('job_id', '=', jobId)
        .orderBy('id')
        .execute();
    const running = () => seedJob(service.core, project);
    const uploaded = async (archive: Buffer, query = {}) => {
      const made = await running();
      const reply = await upload(service, made, archive, { query });
      assert.equal(reply.status, 201, reply.text);
      return made;
    };
    const filesOf = async (jobId: number) => {
      const { body } = await service.api('GET', `/projects/${project.id}/jobs/${jobId}`);
      return body.artifacts as { file_type: string; size: number; filename: string; file_format: string }[];
    };
    const metadataOf = async (jobId: number) => {
      const row = (await rowsOf(jobId)).find(
        ({ file_type, state }) => file_type === 'metadata' && state === 'stored',
      );
      return row ? textsIn(await buffer(await objects.get(objectKey(row)))) : null;
    };

    it('is a file of its own beside the archive', async () => {
      const archive = await zipOf({ 'a.txt': 'first\n' });
      const { job } = await uploaded(archive);
      const [first, second, ...rest] = await filesOf(job.id);
      assert.deepEqual(rest, []);
      assert.deepEqual(first, {
        file_type: 'archive',
        size: archive.length,
        filename: 'artifacts.zip',
        file_format: 'zip',
      });
      assert.ok(second!.size > 0);
      assert.deepEqual(
        { ...second, size: 0 },
        { file_type: 'metadata', size: 0, filename: 'metadata.gz', file_format: 'gzip' },
      );
    });

    it('names every path with what the archive says of it, folders above among them', async () => {
      const mtime = new Date('2026-01-02T03:04:06Z');
      const archive = await zipWith((zip) => {
        zip.addBuffer(Buffer.from('last'), 'z/y/x', { mtime, mode: 0o100755, compress: false });
        zip.addReadStream(Readable.from([Buffer.alloc(28, 'a')]), 'a-b', {
          mtime,
          mode: 0o100640,
          fileComment: 'said "so"',
        });
        zip.addEmptyDirectory('a/', { mtime, mode: 0o40700 });
        zip.addBuffer(Buffer.alloc(0), 'ä', { mtime, mode: 0o100644, compress: false });
      });
      const { job } = await uploaded(archive);
      const [version, errors, ...entries] = (await metadataOf(job.id))!;
      assert.equal(String(version), VERSION);
      assert.equal(String(errors), '{}');
      const pairs = Array.from({ length: entries.length / 2 }, (_, i) => {
        assert.ok(String(entries[2 * i + 1]).endsWith('}\n'));
        return [String(entries[2 * i]), JSON.parse(String(entries[2 * i + 1]))];
      });
      const modified = mtime.getTime() / 1000;
      const zipped = pairs.find(([path]) => path === 'a-b')![1].zipped;
      assert.ok(zipped < 28);
      assert.deepEqual(pairs, [
        [
          'a-b',
          { modified, mode: '640', crc: crc32('a'.repeat(28)), size: 28, zipped, comment: 'said "so"' },
        ],
        ['a/', { modified, mode: '700' }],
        ['z/', {}],
        ['z/y/', {}],
        ['z/y/x', { modified, mode: '755', crc: crc32('last'), size: 4, zipped: 4 }],
        ['ä', { modified, mode: '644' }],
      ]);
    });

    it('is in the order of bytes, however many there are', async () => {
      const archive = await zipWith((zip) => {
        for (let i = 0; i < 1000; i++)
          zip.addBuffer(Buffer.alloc(0), `${(i * 7919) % 1000}/${i % 2 === 0 ? '\u{1f600}' : '\uffee'}`, {
            compress: false,
          });
      });
      const { job } = await uploaded(archive);
      const paths = (await metadataOf(job.id))!.slice(2).filter((_, i) => i % 2 === 0);
      assert.equal(paths.length, 2000);
      for (const [i, path] of paths.entries()) {
        assert.ok(i === 0 || Buffer.compare(paths[i - 1]!, path) < 0, String(path));
      }
    });

    it('is not made of an archive that is broken', async () => {
      for (const broken of [Buffer.from('no zip'), (await zipOf({ a: 'a' })).subarray(0, -10)]) {
        const { job } = await uploaded(broken);
        assert.deepEqual(
          (await filesOf(job.id)).map(({ file_type }) => file_type),
          ['archive'],
        );
        assert.equal((await rowsOf(job.id)).length, 1);
      }
    });

    it('is not made where names would fill the memory', async () => {
      const archive = await zipWith((zip) => {
        for (let i = 0; i < 200; i++)
          zip.addBuffer(Buffer.alloc(0), `${i}${'/x'.repeat(30_000)}`, { compress: false });
      });
      const { job } = await uploaded(archive);
      assert.deepEqual(
        (await filesOf(job.id)).map(({ file_type }) => file_type),
        ['archive'],
      );
    });

    it('is made once of what comes twice, and not where the job has sent its own', async () => {
      const archive = await zipOf({ a: 'a' });
      const made = await uploaded(archive);
      assert.equal((await upload(service, made, archive)).status, 201);
      assert.equal((await upload(service, made, await zipOf({ b: 'b' }))).status, 400);
      const states = (await rowsOf(made.job.id)).map(({ state }) => state);
      assert.deepEqual(states.toSorted(), ['doomed', 'doomed', 'doomed', 'doomed', 'stored', 'stored']);
      const own = await running();
      const sent = gzipSync('own');
      const query = { artifact_type: 'metadata', artifact_format: 'gzip' };
      assert.equal((await upload(service, own, sent, { query })).status, 201);
      assert.equal((await upload(service, own, archive)).status, 201);
      const files = await filesOf(own.job.id);
      assert.deepEqual(
        files.map(({ file_type, size }) => [file_type, size]),
        [
          ['metadata', sent.length],
          ['archive', archive.length],
        ],
      );
    });

    it('is kept, deleted and frees its bytes with the archive', async () => {
      const { job } = await uploaded(await zipOf({ a: 'a' }), { expire_in: '1 day' });
      const expiries = async () => (await rowsOf(job.id)).map(({ expire_at }) => expire_at);
      const [first, second] = await expiries();
      assert.ok(first !== null && first === second);
      const path = `/projects/${project.id}/jobs/${job.id}/artifacts`;
      await service.api('POST', `${path}/keep`);
      assert.deepEqual(await expiries(), [null, null]);
      const keys = (await rowsOf(job.id)).map(objectKey);
      assert.equal((await service.api('DELETE', path)).status, 204);
      assert.deepEqual(await filesOf(job.id), []);
      while ((await rowsOf(job.id)).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      for (const key of keys) assert.equal(await objects.head(key), null);
    });
  });
}
