import { Readable } from 'node:stream';
import { Level } from '../../core/access/levels.ts';
import type { Core } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { fail } from '../../platform/errors.ts';
import { Answer, Bytes, contentDisposition } from '../../platform/http/answer.ts';
import { fileAnswer } from '../../platform/http/file-answer.ts';
import { ObjectNotFound, type ObjectStore } from '../../platform/objects/object-store.ts';
import type { JobRow } from '../tables.ts';
import { contentTypeOf } from './content-type.ts';
import { isExpired } from './entities.ts';
import { isLocked } from './locked.ts';
import { findArtifact, objectKey } from './store.ts';
import type { ArtifactRow } from './tables.ts';
import type { Archives } from './zip/archives.ts';
import { BadArchive } from './zip/zip-error.ts';

export interface ReadDeps extends Pick<Core, 'db' | 'clock'> {
  objects: ObjectStore;
  archives: Archives;
}

type Asked = Parameters<typeof fileAnswer>[0];

/** Throws 403 where the job's configuration keeps its artifacts from this caller. */
export function demandArtifactAccess(
  { access: who }: Pick<ArtifactRow, 'access'>,
  { level }: InProject['access'],
): void {
  const least = { all: Level.none, developer: Level.developer, maintainer: Level.maintainer, none: Infinity }[
    who
  ];
  if (level < least) throw fail.forbidden();
}

/** The archive as it was uploaded; also one that has expired, as long as it is there. */
export async function sendArchive(
  { db, objects }: ReadDeps,
  job: JobRow,
  within: InProject,
  asked: Asked,
): Promise<Answer> {
  const row = await findArtifact(db, job.id, 'archive');
  if (!row) throw fail.notFound();
  demandArtifactAccess(row, within.access);
  return sendStored(objects, row, asked);
}

export function sendStored(objects: ObjectStore, row: ArtifactRow, asked: Asked): Promise<Answer> {
  return unlessGone(
    fileAnswer(asked, {
      size: row.size,
      etag: `"${row.sha256}"`,
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': contentDisposition('attachment', row.filename),
        'content-transfer-encoding': 'binary',
      },
      read: (slice) => objects.get(objectKey(row), slice ?? undefined),
    }),
  );
}

/** The archive of a job out of which single files are read. Throws 404, of `what`, where there is none, or only one that has expired. */
export async function currentArchive(
  deps: ReadDeps,
  job: JobRow,
  { project, access }: InProject,
  what?: string,
): Promise<ArtifactRow> {
  const row = await findArtifact(deps.db, job.id, 'archive');
  if (!row) throw fail.notFound(what);
  demandArtifactAccess(row, access);
  const isGone = isExpired(row, deps.clock.now()) && !(await isLocked(deps, project, job.pipeline_id));
  if (isGone) throw fail.notFound(what);
  return row;
}

/** One file out of the archive. Throws 400 for a path that no archive may have, 404 for what is no file in it, 422 for damage. */
export async function sendFile(
  { archives }: ReadDeps,
  row: ArtifactRow,
  path: string,
  { method }: Asked,
): Promise<Answer> {
  demandPath(path);
  return unlessGone(
    readable(async () => {
      const archive = { key: objectKey(row), size: row.size };
      const entry = (await archives.index(archive)).find(path);
      if (entry?.kind !== 'file') throw fail.notFound();
      const stream = await archives.open(archive, entry);
      const headers = {
        'content-type': contentTypeOf(path),
        'content-length': String(entry.size),
        'content-disposition': contentDisposition('attachment', path.slice(path.lastIndexOf('/') + 1)),
      };
      if (method === 'HEAD') stream.destroy();
      return new Answer(200, new Bytes(method === 'HEAD' ? Readable.from([]) : stream), headers);
    }),
  );
}

/** Paths that lead out of where they are, or that are no text. */
export function demandPath(path: string): void {
  const segments = path.split('/');
  const leadsOut = segments.includes('..') || segments.includes('.') || path.startsWith('/');
  if (path === '' || leadsOut || path.includes('\0') || !path.isWellFormed())
    throw fail.badRequest('invalid path');
}

/** 422 with the reason, where the archive is the one to blame. */
export async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadArchive) throw fail.unprocessable(`The archive cannot be read: ${error.message}`);
    throw error;
  }
}

/** The sweep may free it between the two reads. */
export async function unlessGone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ObjectNotFound) throw fail.notFound();
    throw error;
  }
}
