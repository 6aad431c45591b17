import { parentPort, workerData } from 'node:worker_threads';
import { FrameCache } from '../segment/frames/frame-cache.ts';
import { Segment } from '../segment/segment.ts';
import { type MergeInput, mergeSegments } from '../segment/write/merge.ts';
import { writeSegmentFile } from './segment-output.ts';
import { segmentPath } from './store.ts';

/** A thread that writes one segment out of several, answers, and ends. */

export interface MergeOrder {
  dir: string;
  /** Name of the file to write. */
  output: string;
  /** Segments, and the numbers of the blobs to keep of each. */
  inputs: { id: number; file: string; keep: number[] }[];
}

/** The size of the new file, or an input that cannot be read. */
export type MergeReply =
  | { kind: 'merged'; bytes: number }
  | { kind: 'damaged'; segment: number; message: string };

const { dir, output, inputs } = workerData as MergeOrder;
const cache = new FrameCache(1); // a merge reads each frame once

/** The first input that is not as it was written; null when all are. */
function findDamaged(): { segment: number; message: string } | null {
  for (const { id, file } of inputs) {
    try {
      const segment = Segment.open(segmentPath(dir, file), cache);
      try {
        segment.verify();
      } finally {
        segment.close();
      }
    } catch (error) {
      return { segment: id, message: (error as Error).message };
    }
  }
  return null;
}

function merge(): number {
  const opened: MergeInput[] = [];
  try {
    for (const { file, keep } of inputs) {
      const kept = new Set(keep);
      const segment = Segment.open(segmentPath(dir, file), cache);
      opened.push({ segment, keep: (blob) => kept.has(blob) });
    }
    return writeSegmentFile(dir, output, (path) => mergeSegments(opened, path)).bytes;
  } finally {
    for (const { segment } of opened) segment.close();
  }
}

function answer(): MergeReply {
  try {
    return { kind: 'merged', bytes: merge() };
  } catch (error) {
    const damaged = findDamaged();
    if (!damaged) throw error;
    return { kind: 'damaged', ...damaged };
  }
}

parentPort!.postMessage(answer());
