import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { diffCommit } from './diff.ts';
import type { Repository } from './repository.ts';
import { commitStats } from './stats.ts';
import { openTestGit } from './testing.ts';

const KIND = { name: 'names', args: ['diff-tree', '--stdin', '--always', '-r', '--root', '--name-only'] };

/** The standing processes that a handle starts from now on. */
function watch(repo: Repository): ChildProcess[] {
  const started: ChildProcess[] = [];
  const spawn = repo.spawn.bind(repo);
  repo.spawn = (args, options) => {
    const child = spawn(args, options);
    if (args.includes('--stdin')) started.push(child);
    return child;
  };
  return started;
}

async function ask(repo: Repository, oid: string, signal?: AbortSignal): Promise<string | null> {
  let text = '';
  const take = (part: Buffer) => {
    text += part.toString();
    return true;
  };
  return (await repo.git.diffs.feed(repo, KIND, oid, { signal, take })) ? text : null;
}

/** A repository of `count` commits; commit `n` changes the file `f<n>`. */
async function history(count: number) {
  const host = await openTestGit();
  const work = await host.workTree();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await work.save({ [`f${n}`]: `${n}\n` }, `m${n}`));
  const repo = await host.import(work);
  return { host, work, repo, ids, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

describe('standing diff processes', () => {
  it('answer one question after the other', async () => {
    await using at = await history(5);
    const started = watch(at.repo);
    for (const [n, id] of at.ids.entries()) assert.equal(await ask(at.repo, id), `f${n}\n`);
    assert.equal(started.length, 1);
  });

  it('are few: who finds all at work is told so, and is served all the same by what uses them', async () => {
    await using at = await history(12);
    const started = watch(at.repo);
    const answers = await Promise.all(at.ids.map((id) => ask(at.repo, id)));
    assert.ok(started.length <= 4);
    assert.equal(answers.filter((answer) => answer !== null).length, started.length);
    const diffs = await Promise.all(at.ids.map((id) => diffCommit(at.repo, id)));
    assert.deepEqual(
      diffs.map(({ files }) => files.map(({ newPath }) => newPath)),
      at.ids.map((_, n) => [`f${n}`]),
    );
    const stats = await Promise.all(at.ids.map((id) => commitStats(at.repo, [id])));
    assert.ok(stats.every((one, n) => one.get(at.ids[n]!)?.additions === 1));
  });

  it('see what is pushed and packed after their start', async () => {
    await using at = await history(1);
    await ask(at.repo, at.ids[0]!);
    const later = await at.work.save({ later: '1' }, 'Later');
    await at.repo.run(['fetch', '-q', '--no-write-fetch-head', at.work.path, 'main'], {
      config: { 'protocol.file.allow': 'always' },
    });
    assert.equal(await ask(at.repo, later), 'later\n');
    await at.repo.run(['update-ref', 'refs/heads/later', later]);
    await at.repo.run(['repack', '-q', '-a', '-d']);
    for (const [id, text] of [
      [at.ids[0]!, 'f0\n'],
      [later, 'later\n'],
    ] as const) {
      assert.equal(await ask(at.repo, id), text);
    }
  });

  it('answer nothing for a commit that is not there, and an empty text where nothing changed', async () => {
    await using at = await history(1);
    assert.equal(await ask(at.repo, 'f'.repeat(40)), null);
    await assert.rejects(diffCommit(at.repo, 'f'.repeat(40)));
    const tree = await at.work.git('rev-parse', 'HEAD^{tree}');
    const empty = await at.repo.run(['commit-tree', '-p', at.ids[0]!, '-m', 'empty', tree], {
      env: {
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@x',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@x',
      },
    });
    assert.equal(await ask(at.repo, empty.toString().trim()), '');
  });

  it('that die are replaced without an error to anybody', async () => {
    await using at = await history(2);
    const started = watch(at.repo);
    await ask(at.repo, at.ids[0]!);
    started[0]!.kill('SIGSTOP');
    const answer = diffCommit(at.repo, at.ids[1]!);
    const stuck = ask(at.repo, at.ids[1]!);
    started[0]!.kill('SIGKILL');
    assert.equal((await answer).files.length, 1);
    assert.equal(await stuck, null);
    assert.equal(await ask(at.repo, at.ids[1]!), 'f1\n');
  });

  it('end when the caller leaves, and with their repository', async () => {
    await using at = await history(1);
    const started = watch(at.repo);
    await ask(at.repo, at.ids[0]!);
    started[0]!.kill('SIGSTOP');
    const leaves = new AbortController();
    const waiting = ask(at.repo, at.ids[0]!, leaves.signal);
    const gone = once(started[0]!, 'close');
    leaves.abort(new Error('left'));
    await assert.rejects(waiting, /left/);
    await gone;
    await ask(at.repo, at.ids[0]!);
    const last = once(started[1]!, 'close');
    await at.repo.remove();
    await last;
  });

  it('stop when no more is wanted', async () => {
    await using at = await history(1);
    const big = await at.work.save({ big: 'line\n'.repeat(1_000_000) }, 'Big');
    const repo = await at.host.import(at.work);
    const started = watch(repo);
    const patch = { name: 'patch', args: [...KIND.args, '-p'] };
    const parts: number[] = [];
    const take = (part: Buffer) => parts.push(part.length) > 1; // the first is enough
    assert.equal(await repo.git.diffs.feed(repo, patch, big, { take }), true);
    await once(started[0]!, 'close');
    assert.equal(parts.length, 1);
    assert.equal(await ask(repo, big), 'big\n');
  });
});
