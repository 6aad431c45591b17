import { crc32 } from 'node:zlib';
import type { TraceRow } from '../artifacts/tables.ts';
import type { LogAppender } from './append.ts';
import type { LiveFiles } from './live-files.ts';

/** What a runner says of the log that it has sent. */
export interface Claim {
  /** `crc32:0a1b2c3d`, over the log as sent. */
  checksum?: string | null | undefined;
  bytesize?: number | null | undefined;
}

/** Whether the log that is here is the one that was sent, as far as the claim and what was covered here let it be known. */
export async function isAsClaimed(
  { files, appender }: { files: LiveFiles; appender: LogAppender },
  jobId: number,
  { claim, row }: { claim: Claim; row: TraceRow | undefined },
): Promise<boolean> {
  const size = (await files.size(jobId)) ?? 0;
  if (claim.bytesize != null && claim.bytesize !== size) return false;
  const wanted = /^crc32:([0-9a-f]{1,8})$/i.exec(claim.checksum ?? '')?.[1];
  if (wanted === undefined) return true;
  const known = appender.checksum(jobId, size);
  if (known === null && row?.masked === 1) return true;
  const sum = Number.parseInt(wanted, 16);
  // What is known may be of a log that another process has begun anew since.
  return sum === known || sum === (await checksumOf(files, jobId));
}

async function checksumOf(files: LiveFiles, jobId: number): Promise<number> {
  const file = await files.openToRead(jobId);
  if (!file) return 0;
  let sum = 0;
  for await (const chunk of file.createReadStream()) sum = crc32(chunk as Buffer, sum);
  return sum;
}
