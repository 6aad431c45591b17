import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BranchRule, judgeBranch, judgeTag, kindOfRef, ruleMatches } from './ref-rules.ts';

const rule = (name: string, push = 40, merge = 40, force = 0): BranchRule => ({
  name,
  push_access_level: push,
  merge_access_level: merge,
  allow_force_push: force,
});

describe('rules of refs', () => {
  it('match whole names, with any text for a star', () => {
    const fits: [string, string, boolean][] = [
      ['main', 'main', true],
      ['main', 'mainly', false],
      ['release/*', 'release/1.0', true],
      ['release/*', 'release/a/b', true],
      ['release/*', 'prerelease/1', false],
      ['*-stable', 'v1-stable', true],
      ['*-stable', '-stable', true],
      ['*-stable', 'v1-stable2', false],
      ['a*b*c', 'a-b-c', true],
      ['a*b*c', 'acb', false],
      ['a*a', 'a', false],
      ['*', 'anything', true],
      ['**', '', true],
      ['v1.*', 'v10', false],
    ];
    for (const [pattern, name, expected] of fits) {
      assert.equal(ruleMatches(pattern, name), expected, `${pattern} and ${name}`);
    }
  });

  it('cost no more for a hostile pattern', () => {
    const pattern = `${'*a'.repeat(200)}*b`;
    assert.equal(ruleMatches(pattern, 'a'.repeat(5000)), false);
  });

  it('leave a branch that none fits to everybody who may push', () => {
    const verdict = judgeBranch([rule('main')], 'topic', { level: 30, canPush: true });
    assert.deepEqual(verdict, {
      protected: false,
      mayPush: true,
      mayMerge: true,
      mayForcePush: true,
      mayDelete: true,
    });
    assert.equal(judgeBranch([], 'topic', { level: 20, canPush: false }).mayPush, false);
  });

  it('keep a protected branch for their level, nobody for level 0', () => {
    const developer = { level: 30, canPush: true };
    const maintainer = { level: 40, canPush: true };
    const admin = { level: 60, canPush: true };
    assert.equal(judgeBranch([rule('m')], 'm', developer).mayPush, false);
    assert.equal(judgeBranch([rule('m')], 'm', maintainer).mayPush, true);
    assert.equal(judgeBranch([rule('m', 0)], 'm', admin).mayPush, false);
    assert.equal(judgeBranch([rule('m', 60)], 'm', maintainer).mayPush, false);
    assert.deepEqual(judgeBranch([rule('m', 0, 30)], 'm', developer), {
      protected: true,
      mayPush: false,
      mayMerge: true,
      mayForcePush: false,
      mayDelete: false,
    });
  });

  it('let maintainers delete a protected branch, whoever may push to it', () => {
    const rules = [rule('m', 30), rule('n', 0, 0)];
    const mayDelete = (name: string, level: number, canPush = true) =>
      judgeBranch(rules, name, { level, canPush }).mayDelete;
    assert.deepEqual([mayDelete('m', 30), mayDelete('m', 40), mayDelete('n', 40)], [false, true, true]);
    assert.equal(mayDelete('n', 40, false), false);
  });

  it('let the most permissive of several win', () => {
    const rules = [rule('release/*', 40), rule('release/1', 30, 40, 1)];
    const verdict = judgeBranch(rules, 'release/1', { level: 30, canPush: true });
    assert.deepEqual([verdict.mayPush, verdict.mayForcePush], [true, true]);
    assert.equal(judgeBranch(rules, 'release/2', { level: 30, canPush: true }).mayPush, false);
  });

  it('say who makes a tag', () => {
    const rules = [{ name: 'v*', create_access_level: 40 }];
    assert.deepEqual(judgeTag(rules, 'v1', { level: 30, canCreate: true }), {
      protected: true,
      mayCreate: false,
      mayDelete: false,
    });
    assert.equal(judgeTag(rules, 'v1', { level: 40, canCreate: true }).mayCreate, true);
    assert.equal(judgeTag(rules, 'x', { level: 30, canCreate: true }).mayCreate, true);
  });

  it('let maintainers delete a protected tag, whoever may make it', () => {
    const rules = [
      { name: 'v*', create_access_level: 30 },
      { name: 'w*', create_access_level: 0 },
    ];
    const mayDelete = (name: string, level: number) =>
      judgeTag(rules, name, { level, canCreate: true }).mayDelete;
    assert.deepEqual([mayDelete('v1', 30), mayDelete('v1', 40), mayDelete('w1', 40)], [false, true, true]);
    assert.equal(mayDelete('x', 30), true);
  });

  it('tell branches, tags and notes from what the service keeps', () => {
    assert.deepEqual(kindOfRef('refs/heads/a/b'), { kind: 'branch', name: 'a/b' });
    assert.deepEqual(kindOfRef('refs/tags/v1'), { kind: 'tag', name: 'v1' });
    assert.deepEqual(kindOfRef('refs/notes/x'), { kind: 'note', name: 'x' });
    for (const ref of ['refs/keep-around/1', 'refs/merge-requests/1/head', 'HEAD', 'refs/heads/']) {
      assert.equal(kindOfRef(ref).kind, 'internal');
    }
  });
});
