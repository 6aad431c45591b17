import { hash } from 'node:crypto';
import { lastCommitFor } from '../../git/log.ts';
import { BlobTooLarge, findEntry, readBlob, readInfo } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import type { Project } from '../tables.ts';
import { findCommit } from './reading.ts';

/** One version of one file. */
export interface FoundFile {
  path: string;
  /** As the caller named it. */
  ref: string;
  commitId: string;
  blobId: string;
  size: number;
  executable: boolean;
}

export interface FileQuestion {
  path: string;
  ref: string;
  signal: AbortSignal;
}

/** What is put into one JSON answer: its text in base64 and the answer around it are held in memory at once. */
const MAX_JSON_BYTES = 20 * 1024 * 1024;

/** 404 `Commit` for an unknown ref, `File` for what is no file there. */
export async function findFile(repo: Repository, { path, ref, signal }: FileQuestion): Promise<FoundFile> {
  const commit = await findCommit(repo, ref, signal);
  if (!commit) throw fail.notFound('Commit');
  const clean = path.replace(/^\/+/, '');
  const entry = await findEntry(repo, commit.id, clean, signal);
  if (entry?.type !== 'blob') throw fail.notFound('File');
  const info = await readInfo(repo, entry.oid, signal);
  if (!info) throw fail.notFound('File');
  return {
    path: clean,
    ref,
    commitId: commit.id,
    blobId: entry.oid,
    size: info.size,
    executable: entry.mode === '100755',
  };
}

/** HEAD of an empty repository names a branch that is not there: 404 later, by the ordinary way. */
export const defaultRef = (project: Pick<Project, 'default_branch'>): string =>
  project.default_branch ?? 'HEAD';

/** Throws 413 for a file that is too large for a JSON answer; its raw form has no limit. */
export async function readContent(repo: Repository, oid: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const content = await readBlob(repo, oid, { maxBytes: MAX_JSON_BYTES, signal });
    if (content === null) throw fail.notFound('Blob');
    return content;
  } catch (error) {
    if (error instanceof BlobTooLarge) throw new ApiError('too_large');
    throw error;
  }
}

export const contentHash = (content: Buffer): string => hash('sha256', content, 'hex');

/** The commit that last touched the file, seen from the commit it was asked at. */
export async function lastCommitId(repo: Repository, file: FoundFile, signal: AbortSignal): Promise<string> {
  return (await lastCommitFor(repo, file.commitId, file.path, signal)) ?? file.commitId;
}

interface HeaderFacts {
  lastCommit: string;
  /** null for what is too long to be read for a header. */
  sha256: string | null;
}

/** GitLab's `X-Gitlab-*` headers: everything of the JSON but the content. */
export function fileHeaders(file: FoundFile, { lastCommit, sha256 }: HeaderFacts): Record<string, string> {
  return {
    'x-gitlab-blob-id': file.blobId,
    'x-gitlab-commit-id': file.commitId,
    ...(sha256 !== null && { 'x-gitlab-content-sha256': sha256 }),
    'x-gitlab-encoding': 'base64',
    'x-gitlab-execute-filemode': String(file.executable),
    'x-gitlab-file-name': headerText(nameOf(file.path)),
    'x-gitlab-file-path': headerText(file.path),
    'x-gitlab-last-commit-id': lastCommit,
    'x-gitlab-ref': headerText(file.ref),
    'x-gitlab-size': String(file.size),
  };
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A header holds bytes, not characters: UTF-8 goes out as it is, what would end the header does not go out at all. */
const headerText = (text: string): string =>
  Buffer.from(text.replace(/[\0-\x1f\x7f]/g, ''), 'utf8').toString('latin1');
