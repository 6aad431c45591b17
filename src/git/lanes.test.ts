import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitEnvironment } from './environment.ts';
import { Lanes } from './lanes.ts';

describe('lanes for git', () => {
  let folder: string;
  let lanes: Lanes;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "ingot it's $(a) lane "));
    execFileSync('git', ['init', '-q', folder]);
    lanes = new Lanes();
  });
  after(() => {
    lanes.close();
    rmSync(folder, { recursive: true });
  });

  function start(args: string[], env = gitEnvironment(), cwd = folder, input?: string) {
    const out: Buffer[] = [];
    const error: Buffer[] = [];
    const command = {
      args,
      cwd,
      env,
      input,
      onOut: (c: Buffer) => out.push(c),
      onError: (c: Buffer) => error.push(c),
    };
    const running = lanes.run(command);
    return {
      running,
      out: () => Buffer.concat(out).toString(),
      error: () => Buffer.concat(error).toString(),
    };
  }

  async function run(args: string[], env?: NodeJS.ProcessEnv, cwd?: string) {
    const { running, out, error } = start(args, env, cwd);
    assert.ok(running, 'no lane was free');
    return { code: await running.ended, out: out(), error: error() };
  }

  const say = (text: string) => run(['-c', `x.y=${text}`, 'config', '--null', 'x.y']);

  it('hand every argument to git as it is', async () => {
    const texts = [
      "it's",
      '"',
      '$(touch hacked)',
      '`id`',
      '\\',
      'a\nb\n',
      '-n',
      '*',
      '; exit 3',
      '😀',
      ' ',
      '!!',
      "'\\''",
    ];
    for (const text of texts) assert.deepEqual(await say(text), { code: 0, out: `${text}\0`, error: '' });
  });

  it('tell the exit code, and what git says against it', async () => {
    const { code, out, error } = await run(['rev-parse', '--verify', 'nowhere']);
    assert.equal(code, 128);
    assert.equal(out, '');
    assert.match(error, /Needed a single revision/);
  });

  it('run with the settings of one process, which the next does not have', async () => {
    const set = await run(['config', 'x.y'], gitEnvironment({ 'x.y': "it's $HOME" }));
    assert.equal(set.out, "it's $HOME\n");
    assert.equal((await run(['config', 'x.y'])).code, 1);
  });

  it('hand on an input of whole lines, and leave any other to a process of its own', async () => {
    const lines = ["it's", '$HOME `id`', 'EOF', '\\', '', '😀'];
    for (const many of [1, 2_000]) {
      const input = lines.map((line) => `${line}\n`.repeat(many)).join('');
      const { running, out } = start(['stripspace', '--comment-lines'], undefined, undefined, input);
      assert.equal(await running?.ended, 0);
      const expected = lines.map((line) => `#${line === '' ? '' : ' '}${line}\n`.repeat(many)).join('');
      assert.equal(out(), expected);
    }
    for (const input of ['no end', 'a\0b\n', '\n'.repeat(300_000)])
      assert.equal(start(['stripspace'], undefined, undefined, input).running, null);
  });

  it('hold back what a slow listener cannot take', async () => {
    const { running, out } = start(['-c', `x.y=${'x'.repeat(100_000)}`, 'config', 'x.y']);
    running?.flow(false);
    await sleep(100);
    assert.ok(out().length <= 65_536);
    running?.flow(true);
    assert.equal(await running?.ended, 0);
    assert.equal(out().length, 100_001);
  });

  it('hand on much output, whole', async () => {
    const long = 'x'.repeat(100_000);
    for (let i = 0; i < 5; i++) assert.equal((await say(long)).out.length, long.length + 1);
  });

  it('run several at once, and refuse more than there are lanes', async () => {
    const all = Array.from({ length: 6 }, (_, i) => start(['-c', `x.y=${i}`, 'config', 'x.y']));
    const taken = all.filter(({ running }) => running);
    assert.equal(taken.length, 4);
    assert.equal(lanes.busy, 4);
    await Promise.all(taken.map(({ running }) => running?.ended));
    assert.deepEqual(
      taken.map(({ out }) => out()),
      ['0\n', '1\n', '2\n', '3\n'],
    );
    assert.equal(lanes.busy, 0);
  });

  it('say that a folder is gone as a process of its own would', async () => {
    await assert.rejects(run(['version'], gitEnvironment(), join(folder, 'nowhere')), { code: 'ENOENT' });
    assert.equal((await run(['version'])).code, 0);
  });

  it('take no argument with a NUL', () => {
    assert.equal(start(['log', 'a\0b']).running, null);
  });

  it('end a process, also one that has not begun', async () => {
    for (const delay of [0, 100]) {
      const { running } = start(['cat-file', '--batch', '--batch-all-objects', '--follow-symlinks']);
      if (delay > 0) await sleep(delay);
      running?.kill();
      await running?.ended;
    }
    assert.equal((await run(['version'])).code, 0);
  });

  it('hear nothing of what a killed process left behind', async () => {
    const { running } = start(['-c', 'alias.w=!sleep 0.2; echo late', 'w']);
    await sleep(50);
    running?.kill();
    await running?.ended;
    for (let i = 0; i < 4; i++) {
      const { out } = await run(['-c', 'alias.w=!sleep 0.1; echo now', 'w']);
      assert.equal(out, 'now\n');
    }
  });

  it('replace a shell that died, whose run fails', async () => {
    const { running } = start(['-c', 'alias.w=!kill -9 $(ps -o ppid= -p $PPID)', 'w']);
    await assert.rejects(running?.ended ?? Promise.resolve(), /the shell that starts git is gone/);
    assert.equal((await run(['version'])).code, 0);
  });

  it('keep nothing alive that has done its work', () => {
    const lanes = new URL('./lanes.ts', import.meta.url).href;
    const environment = new URL('./environment.ts', import.meta.url).href;
    const script = `
      import { Lanes } from ${JSON.stringify(lanes)};
      import { gitEnvironment } from ${JSON.stringify(environment)};
      const command = { args: ['version'], cwd: '/', env: gitEnvironment(), onOut() {}, onError() {} };
      const lanes = new Lanes();
      await Promise.all([1, 2].map(() => lanes.run(command).ended));
      console.log(await lanes.run(command).ended);`;
    const options = { encoding: 'utf8', timeout: 20_000 } as const;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '-e', script], options), '0\n');
  });

  it('run nothing once they are closed', async () => {
    const closing = new Lanes();
    closing.close();
    const command = { args: ['version'], cwd: folder, env: gitEnvironment(), onOut() {}, onError() {} };
    assert.equal(closing.run(command), null);
    assert.ok(readFileSync(join(folder, '.git', 'HEAD')));
  });
});
