import type { SegmentFacts } from './format.ts';
import type { Segment } from './segment.ts';

export interface MergeInput {
  segment: Segment;
  /** Whether this blob goes into the new segment; a blob that several inputs hold must be kept of one only. */
  keep: (blob: number) => boolean;
}

/**
 * Writes one segment with the blobs that are kept, in the order of the inputs, to `path`, which must not exist, and
 * syncs the file. Contents are copied as they are; only postings are written anew.
 */
export function mergeSegments(_inputs: readonly MergeInput[], _path: string): SegmentFacts {
  throw new Error('under construction');
}
