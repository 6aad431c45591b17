import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asRubyHash, groupNamingProblems, pathFromName, projectNamingProblems } from './naming.ts';

const ok = (problems: object) => Object.keys(problems).length === 0;

describe('names of projects', () => {
  it('begin with a letter, a digit, an emoji or an underscore', () => {
    for (const name of ['a', '9', '_x', '🦊 fox', 'C++ lib', 'Ünïcode', 'dash – dash', 'a.b_c d']) {
      assert.ok(ok(projectNamingProblems({ name, path: 'x' })), name);
    }
    for (const name of ['', '  ', '-x', '.x', 'a/b', 'a\nb', 'x'.repeat(256), 'a<b', 'a\0b']) {
      assert.deepEqual(Object.keys(projectNamingProblems({ name, path: 'x' })), ['name'], name);
    }
  });

  it('have paths that git, addresses and registries all accept', () => {
    for (const path of ['a', 'A.b', 'a-b', 'a--b', 'a__b', '9', 'a.git.b']) {
      assert.ok(ok(projectNamingProblems({ name: 'x', path })), path);
    }
    for (const path of [
      '',
      '.',
      '..',
      '-a',
      'a-',
      'a..b',
      'a/b',
      'a.git',
      'A.GIT',
      'a.atom',
      'a b',
      'é',
      '%2e',
      'tree',
    ]) {
      assert.deepEqual(Object.keys(projectNamingProblems({ name: 'x', path })), ['path'], path);
    }
  });

  it('become paths', () => {
    assert.equal(pathFromName('Plain'), 'Plain');
    assert.equal(pathFromName('My Project'), 'my-project');
    assert.equal(pathFromName('Ünï & Söhne!'), 'uni-sohne');
    assert.equal(pathFromName('🦊'), '');
  });
});

describe('names of groups', () => {
  it('are reserved at the top where the service has addresses of its own', () => {
    assert.ok(!ok(groupNamingProblems({ name: 'x', path: 'api' }, true)));
    assert.ok(ok(groupNamingProblems({ name: 'x', path: 'api' }, false)));
    assert.ok(!ok(groupNamingProblems({ name: 'x', path: '-' }, false)));
  });
});

it('errors of a group look as Ruby prints them', () => {
  assert.equal(
    asRubyHash({ name: ['a "b"'], path: ['c', 'd'] }),
    '{:name=>["a \\"b\\""], :path=>["c", "d"]}',
  );
});
