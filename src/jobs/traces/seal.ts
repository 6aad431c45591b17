import { Readable } from 'node:stream';
import type { Core } from '../../core/core.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { doomArtifact, doomArtifacts, insertComing, markStored, objectKey } from '../artifacts/store.ts';
import type { LiveFiles } from './live-files.ts';
import { findTrace, markSealed } from './store.ts';

export interface SealDeps extends Pick<Core, 'database' | 'db' | 'clock'> {
  objects: ObjectStore;
  files: LiveFiles;
}

/**
 * Copies a live log into the object store and names it among the job's files; what was sealed before goes. The live file stays for a
 * while: a piece that was let in right before the job ended may still be on its way, and what it adds is sealed anew.
 */
export async function sealTrace(
  { database, db, clock, objects, files }: SealDeps,
  jobId: number,
): Promise<void> {
  const trace = await findTrace(db, jobId);
  if (!trace || trace.live === 0 || trace.sealed_at === 0) return;
  await files.settle(jobId);
  const coming = await insertComing(db, {
    job_id: jobId,
    project_id: trace.project_id,
    pipeline_id: trace.pipeline_id,
    file_type: 'trace',
    file_format: 'raw',
    filename: 'job.log',
    access: 'all',
    created_at: clock.now(),
    expire_at: null,
  });
  try {
    const file = await files.openToRead(jobId);
    const stored = await objects.put(objectKey(coming), file?.createReadStream() ?? Readable.from([]));
    await database.transaction(
      async (tx) => {
        if (!(await markSealed(tx, jobId, clock.now()))) {
          await doomArtifact(tx, coming.id);
          return;
        }
        await doomArtifacts(tx, { jobId, only: 'trace' });
        await markStored(tx, coming.id, stored);
      },
      // the trace's row settles it with whoever erases the job
      { isolation: 'read committed' },
    );
  } catch (error) {
    await doomArtifact(db, coming.id);
    throw error;
  }
}
