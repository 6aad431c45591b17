import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError, fail } from '../platform/errors.ts';
import { GitFailed } from './process.ts';
import type { Repository } from './repository.ts';

/** GitLab's list; the five names of bzip2 all give `.tar.bz2`. */
export const ARCHIVE_FORMATS = ['tar.gz', 'tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2', 'tar', 'zip'] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

export interface ArchiveOptions {
  /** Of a commit: its date becomes the date of the files. */
  oid: string;
  format: ArchiveFormat;
  /** The one folder that everything lies in, and the file's name without its extension: `project-main-<oid>`. */
  prefix: string;
  /** Only this file or folder, in its place. */
  path?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface Archive {
  stream: Readable;
  contentType: string;
  filename: string;
}

/**
 * The files of a commit, packed by git as they are streamed (git itself compresses gzip and zip).
 * Throws 404 when the path is not there and 406 for bzip2 on a machine without the `bzip2` program.
 */
export async function archive(repo: Repository, options: ArchiveOptions): Promise<Archive> {
  const { oid, prefix, path, signal } = options;
  const format = options.format.includes('b') ? 'tar.bz2' : options.format;
  if (format === 'tar.bz2' && !(await hasProgram('bzip2')))
    throw new ApiError('not_acceptable', { format: options.format });
  if (path?.includes('\0')) throw fail.notFound('File');
  const args = ['archive', `--format=${format}`, `--prefix=${prefix}/`, '--', oid, ...(path ? [path] : [])];
  const stream = await repo.stream(args, { signal, config: { 'tar.tar.bz2.command': 'bzip2 -c' } });
  try {
    await stream.started();
  } catch (error) {
    if (error instanceof GitFailed && /did not match any files|is outside repository/.test(error.stderr))
      throw fail.notFound('File');
    throw error;
  }
  return {
    stream,
    contentType: format === 'zip' ? 'application/zip' : 'application/octet-stream',
    filename: `${prefix}.${format}`,
  };
}

async function hasProgram(name: string): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = folders.map((folder) => access(join(folder, name), constants.X_OK));
  return Promise.any(found).then(
    () => true,
    () => false,
  );
}
