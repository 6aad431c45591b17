import { rmSync } from 'node:fs';
import type { Lanes } from '../../../git/lanes.ts';
import type { CorpusName, CorpusState } from '../code-index.ts';
import type { BuildOptions, SegmentBuilds } from './build.ts';
import { segmentPath } from './store.ts';
import { readChange } from './tree-changes.ts';
import type { CorpusChange, NewBlobs, WriteStore } from './write-store.ts';

export interface UpdateParts {
  dir: string;
  store: WriteStore;
  builds: SegmentBuilds;
  lanes: Lanes;
}

/** Makes the corpus what the tree of the commit holds: lists the paths, reads the blobs that are new, writes all of it at once. */
export async function updateCorpus(
  parts: UpdateParts,
  name: CorpusName,
  { repository, commit }: CorpusState,
  options: BuildOptions,
): Promise<void> {
  const held = parts.store.corpus(name);
  const since = held?.commit ?? null;
  if (since === commit && held?.repository === repository) return;
  const change = await readChange({ name, repository, commit, lanes: parts.lanes }, since, options.signal);
  const read: NewBlobs = { segments: [], outside: [] };
  try {
    await readAndApply(parts, repository, change, read, options);
  } catch (error) {
    // Files that no row names would go at the next start; a long life should not gather them.
    for (const { file } of read.segments) rmSync(segmentPath(parts.dir, file), { force: true });
    throw error;
  }
}

/** What the index held at first may be dropped by a merge while the rest is read: then that is read too. */
async function readAndApply(
  { store, builds }: UpdateParts,
  repository: string,
  change: CorpusChange,
  read: NewBlobs,
  options: BuildOptions,
): Promise<void> {
  const wanted = new Set(change.paths.map(({ oid }) => oid).filter((oid) => oid !== null));
  for (let missing = store.missing(wanted); ; ) {
    const more = await builds.read(repository, missing, options);
    read.segments.push(...more.segments);
    read.outside.push(...more.outside);
    options.signal.throwIfAborted();
    missing = store.apply(change, read);
    if (missing.length === 0) return;
  }
}
