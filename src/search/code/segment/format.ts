/** What a segment holds. `bytes` is the size of its file, `rawBytes` that of the blobs. */
export interface SegmentFacts {
  blobs: number;
  chunks: number;
  rawBytes: number;
  bytes: number;
}

/** The version is in the name, so that files of two formats can lie side by side during an upgrade. */
export const SEGMENT_SUFFIX = '.v1.segment';

/** The file is not a segment of this version, or not as it was written. */
export class SegmentDamaged extends Error {
  override name = 'SegmentDamaged';
}
