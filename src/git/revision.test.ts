import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Repository } from './repository.ts';
import { resolveRange, resolveRevision } from './revision.ts';
import { openTestGit, type TestGit } from './testing.ts';

describe('revisions', () => {
  let host: TestGit;
  let repo: Repository;
  let first: string;
  let second: string;
  let merge: string;

  before(async () => {
    host = await openTestGit();
    const work = await host.workTree();
    first = await work.save({ a: '1' });
    await work.git('checkout', '-q', '-b', 'side');
    second = await work.save({ b: '1' });
    await work.git('checkout', '-q', 'main');
    await work.save({ c: '1' });
    await work.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    merge = await work.git('rev-parse', 'HEAD');
    await work.git('tag', '-a', 'v1', '-m', 'v1', first);
    await work.git('tag', '-a', 'v1-again', '-m', 'tag of a tag', 'v1');
    await work.git('tag', 'both', first);
    await work.git('branch', 'both', second);
    await work.git('branch', 'feature/x.json', second);
    await work.git('branch', 'tags/odd', second);
    await work.git('tag', 'tree', 'HEAD^{tree}');
    repo = await host.import(work);
  });
  after(() => host[Symbol.asyncDispose]());

  it('are ids, short ids, branches, tags and HEAD, with steps behind them', async () => {
    const cases: [string, string][] = [
      [first, first],
      [first.toUpperCase(), first],
      [first.slice(0, 8), first],
      [first.slice(0, 8).toUpperCase(), first],
      ['main', merge],
      ['HEAD', merge],
      ['refs/heads/main', merge],
      ['heads/main', merge],
      ['tags/v1', first],
      ['tags/odd', second],
      ['main~2', first],
      ['main^2', second],
      ['main^2~1', first],
      ['main^^', first],
      ['HEAD~0', merge],
      ['v1', first],
      ['v1-again', first],
      ['v1^0', first],
      ['feature/x.json', second],
    ];
    for (const [name, oid] of cases) assert.equal(await resolveRevision(repo, name), oid, name);
  });

  it('prefer a tag to a branch of the same name', async () => {
    assert.equal(await resolveRevision(repo, 'both'), first);
    assert.equal(await resolveRevision(repo, 'refs/heads/both'), second);
  });

  it('are nothing when unknown, malformed or not a commit', async () => {
    const names = [
      '',
      'nope',
      '-main',
      '--all',
      'main:a',
      'ma in',
      'main\0',
      'main\n',
      '^',
      '~1',
      'main@{0}',
      'main^{tree}',
    ];
    names.push(
      'tree',
      first.slice(0, 3),
      '0'.repeat(40),
      'main~100',
      'main^3',
      'main~99999999',
      '../HEAD',
      ':/x',
      'a\\b',
      '*',
    );
    for (const name of names) assert.equal(await resolveRevision(repo, name), null, JSON.stringify(name));
    assert.equal(await resolveRevision(await host.empty(), 'HEAD'), null);
  });

  it('make ranges', async () => {
    assert.equal(await resolveRange(repo, 'v1..main'), `${first}..${merge}`);
    assert.equal(await resolveRange(repo, 'side...'), `${second}...${merge}`);
    assert.equal(await resolveRange(repo, 'main'), merge);
    assert.equal(await resolveRange(repo, 'nope..main'), null);
    assert.equal(await resolveRange(repo, '-x..main'), null);
  });
});
