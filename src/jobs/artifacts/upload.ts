import type { Readable } from 'node:stream';
import type { Core } from '../../core/core.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { type ObjectStore, ObjectTooLarge, type StoredObject } from '../../platform/objects/object-store.ts';
import { findJobById } from '../processing/store.ts';
import { readDotenv } from '../reports/dotenv.ts';
import { insertDotenv } from '../reports/dotenv-store.ts';
import { notAtWork } from '../runners/authenticate-job.ts';
import type { RunnersJob } from '../runners/job-runs-store.ts';
import { noteRefusal } from '../runners/job-runs-store.ts';
import type { FileFormat, FileType } from './file-types.ts';
import { setArtifactsExpiry } from './jobs-store.ts';
import { megabytesText } from './limits.ts';
import type { MetadataWriter } from './metadata.ts';
import { doomArtifact, findArtifact, insertComing, markStored, objectKey } from './store.ts';
import type { ArtifactAccess, ArtifactRow } from './tables.ts';

export interface UploadDeps extends Pick<Core, 'database' | 'db' | 'clock'> {
  objects: ObjectStore;
  metadata: MetadataWriter;
}

/** What an upload is, as far as its sender and the job's configuration say. */
export interface UploadFacts {
  fileType: FileType;
  fileFormat: FileFormat;
  access: ArtifactAccess;
  expireAt: number | null;
}

/** Bytes that are here, and that nobody sees yet. */
interface Written {
  row: ArtifactRow;
  stored: StoredObject;
}

/** Such bytes as a job has sent. */
export interface Arrived extends Written {
  filename: string;
}

/** Takes the bytes of one file. Whatever goes wrong, nothing of them stays; 413 says how much there may be. */
export async function receiveFile(
  { db, clock, objects }: UploadDeps,
  job: RunnersJob,
  { file, filename, maxBytes }: { file: Readable; filename: string; maxBytes: number },
): Promise<Arrived> {
  const row = await insertComing(db, {
    job_id: job.id,
    project_id: job.project_id,
    pipeline_id: job.pipeline_id,
    file_type: 'archive',
    file_format: 'raw',
    filename,
    created_at: clock.now(),
    expire_at: null,
  });
  try {
    return { row, filename, stored: await objects.put(objectKey(row), file, { maxBytes, ownsChunks: true }) };
  } catch (error) {
    await doomArtifact(db, row.id);
    throw error instanceof ObjectTooLarge ? await refuseLarge(db, job, maxBytes) : error;
  }
}

/** The refusal of what is too large. From now on the job cannot end well, whether its sender minds the refusal or not. */
export async function refuseLarge(
  db: Core['db'],
  job: Pick<RunnersJob, 'id'>,
  maxBytes: number,
): Promise<ApiError> {
  await noteRefusal(db, job.id, maxBytes);
  return tooLarge(maxBytes);
}

export const tooLarge = (maxBytes: number): ApiError =>
  new ApiError('too_large_text', {
    text: `413 Request Entity Too Large - file size has reached maximum size limit of ${megabytesText(maxBytes)}`,
  });

/**
 * Makes what has arrived the job's, an archive with the list of what is in it. The same bytes once more are taken for the first ones'
 * echo; others of the same kind are refused, and so is what comes after the job has ended. Whatever is refused is freed, also where
 * `factsOf` refuses it.
 */
export async function acceptFile(
  deps: UploadDeps,
  job: RunnersJob,
  arrived: Arrived,
  factsOf: () => Promise<UploadFacts>,
): Promise<void> {
  const { database, db, metadata } = deps;
  const written: Written[] = [arrived];
  try {
    const facts = await factsOf();
    const variables = facts.fileType === 'dotenv' ? await readDotenv(deps.objects, arrived.row) : [];
    const listed =
      facts.fileType === 'archive' ? await metadata.write(arrived.row, arrived.stored.size) : null;
    if (listed) written.push(listed);
    const claimed = await database.transaction(async (tx) => {
      if (!(await claim(tx, job.id, arrived, facts))) return [];
      await setArtifactsExpiry(tx, job.id, facts.expireAt);
      await insertDotenv(tx, job.id, variables);
      const isTaken = listed !== null && (await claimMetadata(tx, job.id, listed, facts));
      return isTaken ? [arrived, listed] : [arrived];
    });
    for (const each of written) if (!claimed.includes(each)) await doomArtifact(db, each.row.id);
  } catch (error) {
    for (const { row } of written) await doomArtifact(db, row.id);
    throw error instanceof UniqueViolation ? alreadyThere() : error;
  }
}

const alreadyThere = () => fail.refused('another artifact of the same type already exists');

/** False where the job has these bytes already. */
async function claim(
  tx: Tx,
  jobId: number,
  { row, stored, filename }: Arrived,
  facts: UploadFacts,
): Promise<boolean> {
  const job = await findJobById(tx, jobId);
  if (!job || job.erased_at !== null) throw fail.forbidden();
  if (job.status !== 'running' && job.status !== 'canceling') throw notAtWork(job);
  const known = await findArtifact(tx, jobId, facts.fileType);
  if (known?.sha256 === stored.sha256) return false;
  if (known) throw alreadyThere();
  const { fileType: file_type, fileFormat: file_format, access, expireAt: expire_at } = facts;
  await markStored(tx, row.id, { ...stored, file_type, file_format, filename, access, expire_at });
  return true;
}

/** False where the job has sent its own. */
async function claimMetadata(
  tx: Tx,
  jobId: number,
  { row, stored }: Written,
  { access, expireAt: expire_at }: UploadFacts,
): Promise<boolean> {
  if (await findArtifact(tx, jobId, 'metadata')) return false;
  await markStored(tx, row.id, { ...stored, access, expire_at });
  return true;
}
