import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from './support/databases.ts';
import { type ServiceProcess, startProcess } from './support/process.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Files with a word each of which no other has: `word<from>` and so on. */
async function commitWords(service: ServiceProcess, project: number, from: number, count: number) {
  const actions = Array.from({ length: count }, (_, at) => ({
    action: 'create',
    file_path: `words/${from + at}.txt`,
    content: `word${from + at}x\n${'some more text to read\n'.repeat(200)}`,
  }));
  const body = { branch: 'main', commit_message: `from ${from}`, actions };
  const { status } = await service.api('POST', `/projects/${project}/repository/commits`, body);
  assert.equal(status, 201);
}

async function makeProject(service: ServiceProcess): Promise<number> {
  return (await service.api('POST', '/projects', { name: 'p', initialize_with_readme: true })).body.id;
}

async function untilIndexed(service: ServiceProcess) {
  for (;;) {
    const { body } = await service.api('GET', '/admin/search/status');
    assert.deepEqual(body.failing, []);
    if (body.state === 'idle') return body;
    await sleep(20);
  }
}

async function pathsWith(service: ServiceProcess, word: string, place = ''): Promise<string[]> {
  const { status, body } = await service.api('GET', `${place}/search?scope=blobs&search=${word}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.map(({ path }: { path: string }) => path);
}

function runCommand(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

describe('the code index and the ends of processes', () => {
  it('misses nothing after kills in the middle of its work', async (test) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-index-crash-'));
    test.after(() => rm(dataDir, { recursive: true, force: true }));
    const FILES = 60;
    let service = await startProcess({ dataDir });
    test.after(() => service.kill());
    const project = await makeProject(service);
    for (const [round, waitMs] of [0, 40, 150].entries()) {
      await commitWords(service, project, round * FILES, FILES);
      await sleep(waitMs);
      await service.kill();
      service = await startProcess({ dataDir });
      const last = (round + 1) * FILES - 1;
      assert.deepEqual(await pathsWith(service, `word${last}x`, `/projects/${project}`), [
        `words/${last}.txt`,
      ]);
    }
    const { indexed_blobs: blobs } = await untilIndexed(service);
    assert.equal(blobs, 3 * FILES + 1);
    for (const word of [0, FILES, 3 * FILES - 1]) {
      assert.deepEqual(await pathsWith(service, `word${word}x`), [`words/${word}.txt`]);
    }
  });

  it('is each process its own, and follows what others do', async (test) => {
    const database = await createTestDatabase('postgres');
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-index-two-'));
    const options = { dataDir, databaseUrl: database.url };
    const [first, second] = await Promise.all([startProcess(options), startProcess(options)]);
    test.after(async () => {
      await Promise.all([first.kill(), second.kill()]);
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const project = await makeProject(first);
    await commitWords(first, project, 0, 3);
    while ((await second.api('GET', '/admin/search/status')).body.indexed_blobs < 4) await sleep(50);
    await Promise.all([untilIndexed(first), untilIndexed(second)]);
    for (const service of [first, second]) {
      assert.deepEqual(await pathsWith(service, 'word2x'), ['words/2.txt']);
    }
    // What another process does is looked for in the repository even before the log tells of it.
    await commitWords(first, project, 3, 1);
    assert.deepEqual(await pathsWith(second, 'word3x'), ['words/3.txt']);
  });

  it('is built by `ingot index`, or shown while a service has it', async (test) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-index-command-'));
    test.after(() => rm(dataDir, { recursive: true, force: true }));
    const none = await runCommand('index', '--data', dataDir);
    assert.equal(none.code, 2);
    assert.match(none.output, /there is no data/);

    const service = await startProcess({ dataDir });
    test.after(() => service.kill());
    await commitWords(service, await makeProject(service), 0, 5);
    await untilIndexed(service);
    const shown = await runCommand('index', '--data', dataDir);
    assert.match(shown.output, /^6 distinct files of 1 projects are indexed/m);
    assert.equal(shown.code, 0);
    const refused = await runCommand('index', '--data', dataDir, '--rebuild');
    assert.equal(refused.code, 2);
    assert.match(refused.output, /a service is running/);

    await service.kill();
    await rm(join(dataDir, 'code-index'), { recursive: true });
    for (const more of [[], ['--rebuild']]) {
      const built = await runCommand('index', '--data', dataDir, ...more);
      assert.match(built.output, /^6 distinct files of 1 projects are indexed/m);
      assert.equal(built.code, 0);
    }
    const unknown = await runCommand('index', '--data', dataDir, '--port-of-call');
    assert.equal(unknown.code, 2);
  });
});
