import type { SegmentFacts } from './format.ts';
import type { FrameCache } from './frame-cache.ts';
import type { SearchPlan } from './plan.ts';

/** Which blobs may match, told from the index alone: nothing is decoded. Blobs that are not here do not match. */
export interface Candidates {
  /** Chunks that may match: 0 means that nothing does; few, that it is quicker to go through `blobs()`. */
  readonly chunks: number;
  has(blob: number): boolean;
  /** Ascending. */
  blobs(): Iterable<number>;
}

/** Matching lines with two lines of context on each side; windows that touch or overlap are one stretch. */
export interface Stretch {
  /** Number of the first line of `data`, from 1. */
  startLine: number;
  /** Each line ended by a newline, the last one of a file too; CRLF kept; decoded by `decodeText`. */
  data: string;
}

/** An immutable file of blobs and their index, open for reading. All calls are synchronous. */
export class Segment {
  readonly blobs: number = 0;
  readonly facts: SegmentFacts = { blobs: 0, chunks: 0, rawBytes: 0, bytes: 0 };

  /** @throws SegmentDamaged; errors of the file system as they are (`ENOENT`) */
  static open(_path: string, _cache: FrameCache): Segment {
    throw new Error('under construction');
  }

  /** Reads the whole file and compares its checksums: seconds per GB. @throws SegmentDamaged */
  verify(): void {}

  oidOf(_blob: number): string {
    throw new Error('under construction');
  }

  /** The number of a blob, found by binary search. */
  find(_oid: string): number | undefined {
    return undefined;
  }

  candidates(_plan: SearchPlan): Candidates {
    throw new Error('under construction');
  }

  /** The first `limit` stretches of a blob. @throws SegmentDamaged */
  stretches(
    _blob: number,
    _plan: SearchPlan,
    _candidates: Candidates,
    _options: { limit: number },
  ): Stretch[] {
    throw new Error('under construction');
  }

  /** The first bytes of a blob, as they are in git. */
  head(_blob: number, _bytes: number): Buffer {
    throw new Error('under construction');
  }

  close(): void {}
}
