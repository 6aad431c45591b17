import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presentBlob, presentWikiBlob } from './entities.ts';

const found = { path: 'a/b.md', data: 'x\n', startLine: 3, ref: 'main', projectId: 7 };

describe('a found blob', () => {
  it('has the fields of GitLab', () => {
    assert.deepEqual(presentBlob(found), {
      basename: 'a/b',
      data: 'x\n',
      path: 'a/b.md',
      filename: 'a/b.md',
      id: null,
      ref: 'main',
      startline: 3,
      project_id: 7,
    });
    assert.deepEqual(presentWikiBlob(found), { ...presentBlob(found), group_id: null });
  });

  it('has the path without its last extension as basename', () => {
    const basenames = {
      'a/b/c.md': 'a/b/c',
      'a.tar.gz': 'a.tar',
      '.gitignore': '.gitignore',
      'x.d/.env': 'x.d/.env',
      '.env.local': '.env',
      'x.d/Makefile': 'x.d/Makefile',
      '..a.b': '..a',
    };
    for (const [path, basename] of Object.entries(basenames)) {
      assert.equal(presentBlob({ ...found, path }).basename, basename, path);
    }
  });
});
