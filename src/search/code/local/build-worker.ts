import { parentPort, workerData } from 'node:worker_threads';
import { type ReadPlace, readInto, SegmentOutput } from './segment-output.ts';
import type { NewBlobs } from './write-store.ts';

/** A thread of a large build: reads what it is handed into whole segments of its own. */

export type ToBuildWorker = { kind: 'read'; oids: string[] } | { kind: 'finish' };

export type FromBuildWorker = { kind: 'read'; count: number } | { kind: 'finished'; blobs: NewBlobs };

export interface BuildWorkerData {
  dir: string;
  prefix: string;
  place: ReadPlace;
}

const { dir, prefix, place } = workerData as BuildWorkerData;
const output = new SegmentOutput(dir, prefix);

parentPort!.on('message', async (message: ToBuildWorker) => {
  if (message.kind === 'read') {
    await readInto(output, place, message.oids);
    tell({ kind: 'read', count: message.oids.length });
    return;
  }
  tell({ kind: 'finished', blobs: await output.finish() });
  parentPort!.close();
});

function tell(message: FromBuildWorker): void {
  parentPort!.postMessage(message);
}
