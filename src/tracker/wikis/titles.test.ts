import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../platform/errors.ts';
import { pageFile } from './formats.ts';
import { folderOf, pathForTitle, slugOf, titleOf } from './titles.ts';

const refusalOf = (title: string): unknown => {
  try {
    return pathForTitle(title);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return (error.body as { message: unknown }).message;
  }
};

describe('titles of wiki pages', () => {
  it('become paths with hyphens for blanks', () => {
    assert.equal(pathForTitle('home'), 'home');
    assert.equal(pathForTitle('  How   to \n begin '), 'How-to-begin');
    assert.equal(pathForTitle('Guides / First steps'), 'Guides/First-steps');
    assert.equal(pathForTitle('日本語/ページ'), '日本語/ページ');
    assert.equal(pathForTitle('-rf --no-preserve'), '-rf---no-preserve');
  });

  it('stay in the folder of a page that is renamed, unless they name another', () => {
    assert.equal(pathForTitle('new name', 'a/b'), 'a/b/new-name');
    assert.equal(pathForTitle('c/new', 'a/b'), 'c/new');
    assert.equal(pathForTitle('/new', 'a/b'), 'new');
    assert.equal(folderOf('a/b/page'), 'a/b');
    assert.equal(folderOf('page'), '');
  });

  it('are refused when no file could be called so', () => {
    for (const blank of ['', '   ', '/', ' / / ']) {
      assert.deepEqual(refusalOf(blank), { title: ["can't be blank"] }, JSON.stringify(blank));
    }
    const hostile = [
      '..',
      '../up',
      'a/../b',
      './a',
      '.git',
      'a/.GIT/config',
      'git~1',
      '.g\u200cit',
      '\x01',
      '\ud800',
    ];
    for (const title of hostile) {
      assert.deepEqual(refusalOf(title), { title: ['is invalid'] }, JSON.stringify(title));
    }
  });

  it('are bounded in bytes', () => {
    assert.equal(pathForTitle('é'.repeat(122)), 'é'.repeat(122));
    assert.deepEqual(refusalOf('é'.repeat(123)), { title: ['exceeds the limit of 245 bytes'] });
    const folder = 'f'.repeat(256);
    assert.deepEqual(refusalOf(`${folder}/page`), {
      title: [`exceeds the limit of 255 bytes for directory name "${folder}"`],
    });
  });

  it('are read back from slugs', () => {
    assert.equal(slugOf('My Pages/A b'), 'My-Pages/A-b');
    assert.equal(titleOf('My-Pages/A-b'), 'A b');
  });
});

describe('files of a wiki', () => {
  it('are pages by their ending, in any case', () => {
    assert.deepEqual(pageFile('a/Home.MD'), { stem: 'a/Home', format: 'markdown' });
    assert.deepEqual(pageFile('x.adoc'), { stem: 'x', format: 'asciidoc' });
    assert.deepEqual(pageFile('x.rst.txt'), { stem: 'x', format: 'rest' });
    assert.deepEqual(pageFile('x.md.txt'), { stem: 'x.md', format: 'plaintext' });
    for (const path of ['picture.png', 'md', '.md', 'a/.md', 'README', 'x.md/y']) {
      assert.equal(pageFile(path), null, path);
    }
  });
});
