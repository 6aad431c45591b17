import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { globMatcher, globsOf } from './glob.ts';

describe('globs of rules', () => {
  // answers of Ruby's File.fnmatch?(glob, path, FNM_PATHNAME | FNM_DOTMATCH | FNM_EXTGLOB)
  const table: [glob: string, matching: string[], others: string[]][] = [
    ['*', ['a', '.x', 'a.rb'], ['a/b', '/a']],
    ['**', ['a', '.x'], ['a/b']],
    ['**/*', ['a', 'a/b', 'a/b/c', '.a/b'], []],
    ['*.rb', ['a.rb', '.rb'], ['a/b.rb', 'a.rbx']],
    ['**/*.rb', ['a.rb', 'a/b.rb', 'a/b/c/d.rb'], ['a.rb/c']],
    ['a/**', ['a/b', 'a/.rb'], ['a', 'a/b/c']],
    ['a/**/*', ['a/b', 'a/b/c', 'a/c/d.rb'], ['a', 'b/c']],
    ['a/**/b', ['a/b', 'a/q/b'], ['a/b/c', 'b']],
    ['a**/b', ['a/b', 'abc/b'], ['a/q/b']],
    ['{a,b}/*', ['a/c', 'b/c'], ['c/c']],
    ['a/{b,c/d}.rb', ['a/b.rb', 'a/c/d.rb'], ['a/d.rb']],
    ['{a,{b,c}}/d', ['a/d', 'b/d', 'c/d'], ['d/d']],
    ['a{,x}/b', ['a/b', 'ax/b'], ['axx/b']],
    ['[ab]/c', ['a/c', 'b/c'], ['c/c']],
    ['[!a]/c', ['b/c'], ['a/c']],
    ['[^a]/c', ['b/c'], ['a/c']],
    ['a/[a-c]*.rb', ['a/b.rb', 'a/ab.rb'], ['a/x.rb']],
    ['a/?.rb', ['a/b.rb'], ['a/ab.rb']],
    ['\\*.rb', ['*.rb'], ['a.rb']],
    ['**/b/**/d', ['b/d', 'a/b/d', 'x/b/q/d'], ['b', 'd']],
    ['*a*b*c', ['abc', 'xaxbxc'], ['acb', 'a/b/c']],
    ['/a', ['/a'], ['a']],
    ['a/', ['a/'], ['a']],
    ['', [''], ['a']],
  ];
  for (const [glob, matching, others] of table)
    it(`${JSON.stringify(glob)} is what Ruby takes it for`, () => {
      const matches = globMatcher([glob]);
      assert.deepEqual(matching.filter(matches), matching);
      assert.deepEqual(others.filter(matches), []);
    });

  it('takes any of several', () => {
    assert.deepEqual(['a', 'b', 'c'].filter(globMatcher(['a', 'b'])), ['a', 'b']);
  });

  it('answers patterns that would keep an expression busy for ever', () => {
    const name = 'a'.repeat(4000);
    assert.equal(globMatcher([`${'*a'.repeat(200)}b`])(name), false);
    assert.equal(globMatcher([`${'**/'.repeat(200)}b`])('a/'.repeat(2000)), false);
    assert.equal(globMatcher(['{a,b}'.repeat(40)])('ab'.repeat(20)), false);
    assert.equal(globMatcher(['{'.repeat(5000)])('{'), false);
    const many = Array.from({ length: 50 }, () => '{a,b}'.repeat(10));
    assert.ok(globsOf(many).count <= 1050, 'no more for many of them');
  });
});
