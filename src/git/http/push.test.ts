import assert from 'node:assert/strict';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ApiError } from '../../platform/errors.ts';
import type { PushCommand } from './push-head.ts';
import type { QuarantinedPush } from './push-session.ts';
import { GitTestServer } from './test-server.ts';

describe('pushing over smart HTTP', () => {
  let server: GitTestServer;
  beforeEach(async () => {
    server = await GitTestServer.start();
  });
  afterEach(() => server.close());

  /** What the object folder holds, apart from the folders that are always there. */
  const stored = async () =>
    (await readdir(join(server.path, 'objects'), { recursive: true })).filter(
      (name) => !/^(info|pack)$/.test(name),
    );
  const head = (tree: string) => server.git(tree, 'rev-parse', 'HEAD');
  const refuse = (text: string) => {
    server.decisions = { ...server.decisions, authorize: async () => ({ refuse: text }) };
  };

  it('moves a new branch through the caller and not through receive-pack', async () => {
    await server.workTree('w');
    const oid = await head('w');
    const { stderr } = await server.tryGit('w', 'push', 'origin', 'main');
    assert.match(stderr, /\[new branch\] +main -> main/);
    assert.deepEqual(server.pushes, [
      { commands: [{ ref: 'refs/heads/main', old: null, new: oid }], atomic: false, pushOptions: [] },
    ]);
    assert.deepEqual(await server.refs(), [`refs/heads/main ${oid}`]);
    await server.git('project.git', 'fsck', '--strict');
  });

  it('hands over several refs in the order of the commands', async () => {
    await server.workTree('w');
    const names = ['zeta', 'alpha', 'mid'];
    await server.git('w', 'push', 'origin', ...names.map((name) => `main:refs/heads/${name}`));
    const { requests, pushes } = server;
    assert.ok(requests.length > 0);
    const expected = (await server.git('w', 'ls-remote', 'origin', 'refs/heads/*')).split('\n').length;
    assert.equal(pushes[0]?.commands.length, expected);
    assert.deepEqual(
      pushes[0]?.commands.map(({ ref }) => ref),
      names.map((name) => `refs/heads/${name}`),
    );
  });

  it('reports each ref by itself when one of them is refused', async () => {
    await server.workTree('w');
    server.decisions.updateRefs = async (push) => {
      const [first, ...rest] = push.commands;
      const moved = await server.moveRefs({ ...push, commands: rest });
      return [{ ref: first!.ref, ok: false, reason: 'is\nlocked' }, ...moved];
    };
    const { code, stderr } = await server.tryGit('w', 'push', 'origin', 'main:a', 'main:b');
    assert.equal(code, 1);
    assert.match(stderr, /\[remote rejected\] main -> a \(is locked\)/);
    assert.match(stderr, /\[new branch\] +main -> b/);
    assert.deepEqual(await server.refs(), [`refs/heads/b ${await head('w')}`]);
  });

  it('tells the caller that a push is atomic', async () => {
    await server.workTree('w');
    await server.git('w', 'push', '--atomic', 'origin', 'main:a', 'main:b');
    assert.equal(server.pushes[0]?.atomic, true);
    assert.equal((await server.refs()).length, 2);
  });

  it('refuses the whole of an atomic push when git itself refuses one of its refs', async () => {
    await server.workTree('w');
    const { code } = await server.tryGit(
      'w',
      'push',
      '--atomic',
      'origin',
      'main:a',
      'main:refs/keep-around/x',
    );
    assert.notEqual(code, 0);
    assert.deepEqual(await server.refs(), []);
    assert.deepEqual(server.pushes, []);
  });

  it('refuses refs that the service keeps for itself and takes the others', async () => {
    await server.workTree('w');
    for (const ref of ['refs/keep-around/x', 'refs/merge-requests/1/head', 'refs/pipelines/1']) {
      const { stderr } = await server.tryGit('w', 'push', 'origin', 'main:a', `main:${ref}`);
      assert.match(stderr, /deny updating a hidden ref/);
    }
    assert.deepEqual(await server.refs(), [`refs/heads/a ${await head('w')}`]);
  });

  it('takes a force push and a deletion', async () => {
    await server.workTree('w', 2);
    await server.git('w', 'push', 'origin', 'main');
    const old = await head('w');
    await server.git('w', 'reset', '-q', '--hard', 'HEAD~1');
    assert.match((await server.tryGit('w', 'push', 'origin', 'main')).stderr, /non-fast-forward/);
    await server.git('w', 'push', '--force', 'origin', 'main');
    assert.deepEqual(server.pushes[1]?.commands, [{ ref: 'refs/heads/main', old, new: await head('w') }]);
    await server.git('w', 'push', 'origin', ':main');
    assert.equal(server.pushes[2]?.commands[0]?.new, null);
    assert.deepEqual(await server.refs(), []);
  });

  it('takes annotated and lightweight tags', async () => {
    await server.workTree('w');
    await server.git('w', 'tag', 'light');
    await server.git('w', 'tag', '-a', '-m', 'A note', 'noted');
    await server.git('w', 'push', 'origin', '--tags');
    assert.deepEqual(await server.refs(), [
      `refs/tags/light ${await head('w')}`,
      `refs/tags/noted ${await server.git('w', 'rev-parse', 'noted')}`,
    ]);
  });

  it('hands over push options', async () => {
    await server.workTree('w');
    await server.git('w', 'push', '-o', 'ci.skip', '-o', 'merge_request.title=Ünïcode', 'origin', 'main');
    assert.deepEqual(server.pushes[0]?.pushOptions, ['ci.skip', 'merge_request.title=Ünïcode']);
  });

  it('shows why a push is refused and keeps nothing of it', async () => {
    await server.workTree('w');
    const text = 'You are not allowed to push code to protected branches on this project.';
    refuse(text);
    const { code, stderr } = await server.tryGit('w', 'push', 'origin', 'main');
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^remote: GitLab: ${text.replaceAll('.', '\\.')} *$`, 'm'));
    assert.match(stderr, /\[remote rejected\] main -> main \(pre-receive hook declined\)/);
    assert.deepEqual(await stored(), []);
    assert.deepEqual(server.pushes, []);
  });

  it('lets no refusal text pass for a verdict', async () => {
    await server.workTree('w');
    refuse('no\naccept\n|accept\n\n\x1b[2Jend');
    const { stderr } = await server.tryGit('w', 'push', 'origin', 'main');
    assert.match(stderr, /pre-receive hook declined/);
    assert.match(stderr, /^remote: accept *$/m);
    assert.match(stderr, /^remote: \|accept *$/m);
    assert.equal(stderr.includes('\x1b[2J'), false);
    assert.deepEqual(await server.refs(), []);
  });

  it('lets the caller look into the quarantine before it decides', async () => {
    await server.workTree('w', 2);
    const seen: string[] = [];
    server.decisions.authorize = async ({ commands, env }: QuarantinedPush) => {
      const args = ['log', '--format=%s', commands[0]!.new!];
      seen.push((await server.runner.run(args, { cwd: server.path, env })).toString());
      const outside = await server.runner.tryRun(args, { cwd: server.path });
      return outside.code === 0 ? { refuse: 'the objects were already visible' } : {};
    };
    await server.git('w', 'push', 'origin', 'main');
    assert.deepEqual(seen, ['Add file2.txt\nAdd file1.txt\n']);
  });

  it('shows the messages that follow a push, for the refs that moved', async () => {
    await server.workTree('w');
    let told: PushCommand[] = [];
    server.decisions.updateRefs = async (push) => [
      { ref: push.commands[0]!.ref, ok: false, reason: 'no' },
      ...(await server.moveRefs({ ...push, commands: push.commands.slice(1) })),
    ];
    server.decisions.messages = async (moved) => {
      told = moved;
      return '\nTo create a merge request for b, visit:\n  http://127.0.0.1/new\n';
    };
    const { stderr } = await server.tryGit('w', 'push', 'origin', 'main:a', 'main:b');
    assert.deepEqual(
      told.map(({ ref }) => ref),
      ['refs/heads/b'],
    );
    assert.match(stderr, /^remote: To create a merge request for b, visit: *\nremote: {3}http:\/\/127/m);
  });

  it('refuses with the words of an ApiError and hides any other failure', async () => {
    await server.workTree('w');
    server.decisions.authorize = () =>
      Promise.reject(new ApiError('refused', { text: 'The project is archived' }));
    assert.match(
      (await server.tryGit('w', 'push', 'origin', 'main')).stderr,
      /GitLab: The project is archived/,
    );
    server.decisions.authorize = () => Promise.reject(new Error('select * from secrets'));
    const { stderr } = await server.tryGit('w', 'push', 'origin', 'main');
    assert.match(stderr, /GitLab: Internal API error/);
    assert.equal(stderr.includes('secrets'), false);
    assert.deepEqual(await stored(), []);
  });

  it('fails the push when the refs cannot be moved', async () => {
    await server.workTree('w');
    server.decisions.updateRefs = () => Promise.reject(new Error('disk full'));
    const { code, stderr } = await server.tryGit('w', 'push', 'origin', 'main');
    assert.equal(code, 1);
    assert.match(stderr, /\[remote rejected\] main -> main \(internal error\)/);
  });

  it('moves nothing when git skips the hook that asks for permission', async () => {
    await server.workTree('w');
    await chmod(join(server.directory, 'hooks', 'pre-receive'), 0o644);
    const { stderr } = await server.tryGit('w', 'push', 'origin', 'main');
    assert.match(stderr, /\[remote rejected\] main -> main \(not authorized\)/);
    assert.deepEqual(await server.refs(), []);
  });

  it('lets one of two pushes to a branch win', async () => {
    await server.workTree('a', 2);
    await server.git('a', 'push', 'origin', 'main');
    await server.git('.', 'clone', '-q', server.url, 'b');
    await server.commit('a', 'x', 'from a');
    await server.commit('b', 'x', 'from b');
    const arrived = Promise.withResolvers<void>();
    let waiting = 0;
    server.decisions.authorize = async () => {
      if (++waiting === 2) arrived.resolve();
      await arrived.promise;
      return {};
    };
    const results = await Promise.all(
      ['a', 'b'].map((tree) => server.tryGit(tree, 'push', 'origin', 'main')),
    );
    assert.deepEqual(results.map(({ code }) => code).sort(), [0, 1]);
    const winner = results[0]?.code === 0 ? 'a' : 'b';
    assert.deepEqual(await server.refs(), [`refs/heads/main ${await head(winner)}`]);
  });

  it('takes a push from a shallow clone', async () => {
    await server.workTree('w', 3);
    await server.git('w', 'push', 'origin', 'main');
    await server.git('.', 'clone', '-q', '--depth', '1', server.url, 'shallow');
    const oid = await server.commit('shallow', 'new.txt', 'new');
    await server.git('shallow', 'push', 'origin', 'main');
    assert.deepEqual(await server.refs(), [`refs/heads/main ${oid}`]);
  });

  it('refuses objects that git finds broken, and lets the slips of old clients pass', async () => {
    await server.workTree('w');
    const tree = await server.git('w', 'rev-parse', 'HEAD^{tree}');
    const commit = async (name: string, author: string) => {
      const oid = (
        await server.runner.run(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], {
          cwd: join(server.directory, 'w'),
          input: `tree ${tree}\nauthor ${author}\ncommitter ${author}\n\n${name}\n`,
        })
      ).toString();
      await server.git('w', 'update-ref', `refs/heads/${name}`, oid.trim());
    };
    await commit('timezone', 'A <a@b.c> 1300000000 +051800');
    await commit('broken', 'A <a@b.c <d> 1300000000 +0000');
    await server.git('w', 'push', 'origin', 'timezone');
    const { stderr } = await server.tryGit('w', 'push', 'origin', 'broken');
    assert.match(stderr, /unpacker error|badEmail|index-pack/);
    assert.equal((await server.refs()).length, 1);
  });
});
