import type { SegmentFacts } from './format.ts';

/** Gathers blobs for one new segment. Everything stays in memory until `write`. */
export class SegmentBuilder {
  /** Blobs, chunks (of at most 32 kB of text, overlong lines aside) and bytes taken so far. */
  readonly blobs: number = 0;
  readonly chunks: number = 0;
  readonly rawBytes: number = 0;

  /** Takes a blob and answers its number in the segment: 0, 1, 2 ... The bytes may be reused afterwards. */
  add(_blob: { oid: string; bytes: Buffer }): number {
    throw new Error('under construction');
  }

  /** Writes the segment to `path`, which must not exist, and syncs the file; its folder is the caller's to sync. */
  write(_path: string): SegmentFacts {
    throw new Error('under construction');
  }
}
