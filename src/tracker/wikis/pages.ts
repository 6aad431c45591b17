import { findCommit } from '../../core/repository/reading.ts';
import { listTree } from '../../core/repository/tree.ts';
import { BlobTooLarge, readBlob } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { ApiError } from '../../platform/errors.ts';
import { pageFile, type WikiFormat } from './formats.ts';
import { slugOf, titleOf } from './titles.ts';

/** One page of a wiki as it is at some commit. */
export interface WikiPage {
  /** Of its file. */
  path: string;
  /** The path without its ending. */
  stem: string;
  slug: string;
  title: string;
  format: WikiFormat;
  blobId: string;
}

/** What one answer may hold of contents, however many pages that are. */
const MAX_CONTENT_BYTES = 20 * 1024 * 1024;

/** Every page, in git's order of their paths. `commit` is its id. */
export async function listPages(repo: Repository, commit: string, signal: AbortSignal): Promise<WikiPage[]> {
  const items = await listTree(repo, { commit, path: '', recursive: true, signal });
  return items.flatMap(({ entry, path }) => {
    const file = entry.type === 'blob' && entry.mode !== SYMLINK ? pageFile(path) : null;
    if (!file) return [];
    const slug = slugOf(file.stem);
    return [{ path, ...file, slug, title: titleOf(slug), blobId: entry.oid }];
  });
}

/** A link is no page: what it points at may lie anywhere. */
const SYMLINK = '120000';

/** Undefined when there is none of this slug. */
export async function findPage(
  repo: Repository,
  commit: string,
  { slug, signal }: { slug: string; signal: AbortSignal },
): Promise<WikiPage | undefined> {
  const wanted = slugOf(slug);
  return (await listPages(repo, commit, signal)).find((page) => page.slug === wanted);
}

/** The commit at which pages are read: the version asked for, or the tip; null when there is none. */
export async function versionOf(
  repo: Repository,
  { version, tip, signal }: { version: string | null | undefined; tip: string; signal: AbortSignal },
): Promise<string | null> {
  if (!version) return tip;
  return (await findCommit(repo, version, signal))?.id ?? null;
}

/** Texts of these pages, in their order. Throws 413 when they are too much for one answer. */
export async function readContents(
  repo: Repository,
  pages: readonly WikiPage[],
  signal: AbortSignal,
): Promise<string[]> {
  const texts: string[] = [];
  let room = MAX_CONTENT_BYTES;
  for (const { blobId } of pages) {
    const content = await readWithin(repo, blobId, { maxBytes: room, signal });
    room -= content.length;
    texts.push(content.toString('utf8'));
  }
  return texts;
}

async function readWithin(
  repo: Repository,
  oid: string,
  options: { maxBytes: number; signal: AbortSignal },
): Promise<Buffer> {
  try {
    return (await readBlob(repo, oid, options)) ?? Buffer.alloc(0);
  } catch (error) {
    if (error instanceof BlobTooLarge) throw new ApiError('too_large');
    throw error;
  }
}
