import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Merges the write-ahead log into the database, which waits for the disk, where nobody waits for it. */

export interface CheckpointData {
  path: string;
  synchronous: 'normal' | 'full';
}

/** `restart` also has the log begin anew; nobody may write meanwhile. */
export type Checkpoint = 'passive' | 'restart';

/** In pages. */
export interface LogState {
  log: number;
  checkpointed: number;
}

/** The service reads at any time, for a moment each time. */
const BUSY_MS = 1000;

const { path, synchronous } = workerData as CheckpointData;
const database = new DatabaseSync(path);
for (const pragma of [`busy_timeout = ${BUSY_MS}`, `synchronous = ${synchronous}`])
  database.exec(`pragma ${pragma}`);

parentPort?.on('message', (how: Checkpoint) => {
  const state = database.prepare(`pragma wal_checkpoint(${how})`).get() as unknown as LogState;
  parentPort?.postMessage({ log: state.log, checkpointed: state.checkpointed } satisfies LogState);
});
