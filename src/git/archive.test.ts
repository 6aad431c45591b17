import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ARCHIVE_FORMATS, type ArchiveFormat, archive } from './archive.ts';
import type { Repository } from './repository.ts';
import { openTestGit, type TestGit } from './testing.ts';

const run = promisify(execFile);

describe('archives', () => {
  let test: TestGit;
  let repo: Repository;
  let oid: string;

  before(async () => {
    test = await openTestGit();
    const work = await test.workTree();
    oid = await work.save({
      'a.txt': 'a\n',
      'lib/b.txt': 'b\n',
      'lib/deep/c.txt': 'c\n',
      '-f': 'odd\n',
    });
    repo = await test.import(work);
  });
  after(() => test[Symbol.asyncDispose]());

  /** Unpacks as a user would, and gives the files by name. */
  const unpack = async (format: ArchiveFormat, path?: string) => {
    const { stream, filename } = await archive(repo, { oid, format, prefix: 'p-main', path });
    const folder = await mkdtemp(join(test.folder, 'unpacked-'));
    const file = join(folder, filename);
    await writeFile(file, await buffer(stream));
    const { stdout } = await run('tar', ['tf', file]);
    return { filename, listed: stdout };
  };
  const without = async (path: string, work: () => Promise<void>) => {
    const before = process.env['PATH'];
    process.env['PATH'] = path;
    try {
      await work();
    } finally {
      process.env['PATH'] = before;
    }
  };

  it('are tar, gzip and zip files below one folder', async () => {
    const files = [
      'p-main/',
      'p-main/-f',
      'p-main/a.txt',
      'p-main/lib/',
      'p-main/lib/b.txt',
      'p-main/lib/deep/',
      'p-main/lib/deep/c.txt',
    ];
    for (const format of ['tar', 'tar.gz'] as const) {
      const { filename, listed } = await unpack(format);
      assert.equal(filename, `p-main.${format}`);
      assert.deepEqual(listed.trim().split('\n'), files);
    }
    const zip = await archive(repo, { oid, format: 'zip', prefix: 'p-main' });
    const bytes = await buffer(zip.stream);
    assert.equal(bytes.toString('latin1', 0, 2), 'PK');
    for (const file of files) assert.ok(bytes.includes(file));
  });

  it('say what they are', async () => {
    const types = ['tar', 'tar.gz', 'zip'] as const;
    const found = await Promise.all(types.map((format) => archive(repo, { oid, format, prefix: 'p' })));
    for (const { stream } of found) stream.destroy();
    assert.deepEqual(
      found.map(({ contentType }) => contentType),
      ['application/octet-stream', 'application/octet-stream', 'application/zip'],
    );
  });

  it('hold one folder or file when asked to', async () => {
    assert.match(
      (await unpack('tar', 'lib/deep')).listed,
      /^p-main\/\np-main\/lib\/\np-main\/lib\/deep\/\np-main\/lib\/deep\/c\.txt\n$/,
    );
    assert.match((await unpack('tar', '-f')).listed, /^p-main\/\np-main\/-f\n$/);
  });

  it('answer 404 for a path that is not there', async () => {
    for (const path of ['nope', '../x', '*.txt', 'a\0b']) {
      await assert.rejects(
        archive(repo, { oid, format: 'tar.gz', prefix: 'p', path }),
        { status: 404 },
        path,
      );
    }
  });

  it('are bzip2 files by any of its names where the program is installed', async (context) => {
    const names = ARCHIVE_FORMATS.filter((format) => format.includes('b'));
    assert.equal(names.length, 5);
    const installed = await run('bzip2', ['--help']).then(
      () => true,
      () => false,
    );
    context.diagnostic(`bzip2 ${installed ? 'is' : 'is not'} installed`);
    for (const format of names) {
      const request = archive(repo, { oid, format, prefix: 'p' });
      if (!installed) {
        await assert.rejects(request, { status: 406 });
        continue;
      }
      const { stream, filename } = await request;
      assert.equal(filename, 'p.tar.bz2');
      assert.equal((await buffer(stream)).toString('latin1', 0, 3), 'BZh');
    }
  });

  it('answer 406 for bzip2 on a machine that lacks it', () =>
    without(test.folder, async () => {
      const request = archive(repo, { oid, format: 'tbz2', prefix: 'p' });
      await assert.rejects(request, {
        status: 406,
        message: "The requested format 'tbz2' is not supported.",
      });
    }));

  it('end with an error when git fails, not as a shorter file', async () => {
    const request = archive(repo, { oid: '1'.repeat(40), format: 'tar', prefix: 'p' });
    await assert.rejects(request, { name: 'GitFailed' });
  });
});
