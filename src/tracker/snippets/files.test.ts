import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../platform/errors.ts';
import { changeFiles, changeOnlyFile, type FileAction, newFiles, type SnippetFile } from './files.ts';

const a: SnippetFile = { path: 'a.txt', content: 'a' };
const b: SnippetFile = { path: 'dir/b.txt', content: 'b' };

const refusal = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 400);
    return error.body;
  }
  return assert.fail('was not refused');
};
const refused = (...actions: FileAction[]) => refusal(() => changeFiles([a, b], actions));

describe('files of a snippet', () => {
  it('are added, changed, moved and deleted in one go', () => {
    const changed = changeFiles(
      [a, b],
      [
        { action: 'create', filePath: 'c.txt', content: 'c' },
        { action: 'update', filePath: 'a.txt', content: 'new' },
        { action: 'move', previousPath: 'dir/b.txt', filePath: 'd.txt' },
        { action: 'delete', filePath: 'c.txt' },
        { action: 'create', content: 'unnamed' },
      ],
    );
    assert.deepEqual(changed, [
      { path: 'a.txt', content: 'new' },
      { path: 'd.txt', content: 'b' },
      { path: 'snippetfile1.txt', content: 'unnamed' },
    ]);
    assert.deepEqual([a.content, b.path], ['a', 'dir/b.txt']);
  });

  it('are refused where two would have one name', () => {
    const exists = { message: 'A file with this name already exists' };
    assert.deepEqual(refused({ action: 'create', filePath: 'a.txt', content: 'x' }), exists);
    assert.deepEqual(refused({ action: 'move', previousPath: 'a.txt', filePath: 'dir/b.txt' }), exists);
    const folder = { message: 'A directory with this name already exists' };
    assert.deepEqual(refused({ action: 'create', filePath: 'dir', content: 'x' }), folder);
    assert.deepEqual(refused({ action: 'create', filePath: 'a.txt/x', content: 'x' }), folder);
  });

  it('are refused where there is none of the name, or something is missing', () => {
    const missing = { message: "A file with this name doesn't exist" };
    assert.deepEqual(refused({ action: 'update', filePath: 'x', content: 'x' }), missing);
    assert.deepEqual(refused({ action: 'delete', filePath: 'x' }), missing);
    assert.deepEqual(refused({ action: 'move', previousPath: 'x', filePath: 'y' }), missing);
    const invalid = { message: 'Snippet actions have invalid data' };
    assert.deepEqual(refused({ action: 'update', filePath: 'a.txt' }), invalid);
    assert.deepEqual(refused({ action: 'create', filePath: 'x' }), invalid);
    assert.deepEqual(refused({ action: 'move', filePath: 'x' }), invalid);
    assert.deepEqual(refused({ action: 'delete' }), invalid);
  });

  it('have paths that stay inside and are not git', () => {
    const hostile = [
      '../x',
      'a/../../x',
      '/etc/passwd',
      '.git/config',
      'x/.GIT/y',
      'a\nb',
      'x\x00',
      `${'n'.repeat(256)}`,
    ];
    for (const filePath of hostile) {
      assert.deepEqual(
        refused({ action: 'create', filePath, content: 'x' }),
        { error: 'file_path should be a valid file path' },
        JSON.stringify(filePath),
      );
    }
    assert.deepEqual(newFiles([{ filePath: 'a/./b.txt', content: 'x' }]), [
      { path: 'a/b.txt', content: 'x' },
    ]);
  });

  it('are bounded in number and length, and never none', () => {
    const many = Array.from({ length: 11 }, (_, index) => ({ filePath: `f${index}`, content: 'x' }));
    assert.deepEqual(
      refusal(() => newFiles(many)),
      { message: { files: ['can be at most 10'] } },
    );
    assert.equal(newFiles(many.slice(1)).length, 10);
    assert.deepEqual(
      refusal(() => newFiles([{ filePath: 'f', content: 'é'.repeat(6 * 1024 * 1024) }])),
      {
        message: { content: ['is too long (12 MiB). The maximum size is 10 MiB.'] },
      },
    );
    const all = [a, b].map(({ path }) => ({ action: 'delete' as const, filePath: path }));
    assert.deepEqual(refused(...all), { message: { content: ["can't be blank"] } });
  });

  it('change by the old pair of parameters where there is only one', () => {
    assert.deepEqual(changeOnlyFile([a], { content: 'new' }), [{ path: 'a.txt', content: 'new' }]);
    assert.deepEqual(changeOnlyFile([a], { fileName: 'z.txt' }), [{ path: 'z.txt', content: 'a' }]);
    assert.deepEqual(
      refusal(() => changeOnlyFile([a, b], { content: 'new' })),
      {
        message: 'To update Snippets with multiple files, you must use the `files` parameter',
      },
    );
  });
});
