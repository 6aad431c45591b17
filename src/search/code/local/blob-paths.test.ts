import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bitsOf, emptyBitmap } from '../segment/bitmap.ts';
import { BlobPaths } from './blob-paths.ts';

describe('the paths of blobs', () => {
  it('are those that have them, in whatever segment, and none for others', () => {
    const segments = Int32Array.of(3, -1, 3, 7, 3, -2, -2);
    const numbers = Uint32Array.of(5, 0, 2, 5, 5, 0, 0);
    const ofBlobs = new BlobPaths({ segments, numbers });
    const pathsOf = (...blobs: [number, number][]) => {
      const paths = emptyBitmap(segments.length);
      for (const [segment, number] of blobs) ofBlobs.mark(segment, number, paths);
      return [...bitsOf(paths)];
    };
    assert.deepEqual(pathsOf([3, 5]), [0, 4]);
    assert.deepEqual(pathsOf([7, 5], [3, 2]), [2, 3]);
    assert.deepEqual(pathsOf([-2, 0]), [5, 6]);
    assert.deepEqual(pathsOf([3, 4], [3, 99], [8, 0]), []);
  });
});
