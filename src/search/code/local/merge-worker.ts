import { parentPort, workerData } from 'node:worker_threads';
import { FrameCache } from '../segment/frame-cache.ts';
import { mergeSegments } from '../segment/merge.ts';
import { Segment } from '../segment/segment.ts';
import { writeSegmentFile } from './segment-output.ts';
import { segmentPath } from './store.ts';

/** A thread that writes one segment out of several, answers with its size, and ends. */

export interface MergeOrder {
  dir: string;
  /** Name of the file to write. */
  output: string;
  /** Files, and the numbers of the blobs to keep of each. */
  inputs: { file: string; keep: number[] }[];
}

const { dir, output, inputs } = workerData as MergeOrder;
const cache = new FrameCache(0);
const opened = inputs.map(({ file, keep }) => {
  const kept = new Set(keep);
  return { segment: Segment.open(segmentPath(dir, file), cache), keep: (blob: number) => kept.has(blob) };
});
const { bytes } = writeSegmentFile(dir, output, (path) => mergeSegments(opened, path));
for (const { segment } of opened) segment.close();
parentPort!.postMessage(bytes);
