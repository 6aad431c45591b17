import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../../platform/log.ts';
import { SEGMENT_SUFFIX } from '../segment/format.ts';
import { readSegments, segmentFolder, segmentPath } from './store.ts';
import { WriteStore } from './write-store.ts';

/**
 * Makes files and database agree after whatever ended the last process: files that no row names go (a build or a merge that
 * was cut), and so do corpora whose segments are missing, cut or of another version; they are indexed again by whoever
 * compares `corpora()` with the repositories. Takes some microseconds a segment: contents are checked where they are read.
 */
export function recover(dir: string, database: DatabaseSync, log: Log): void {
  const store = new WriteStore(database);
  for (const { id, file, bytes } of readSegments(database)) {
    const size = statSync(segmentPath(dir, file), { throwIfNoEntry: false })?.size;
    if (size === bytes && file.endsWith(SEGMENT_SUFFIX)) continue;
    const corpora = store.dropSegment(id);
    log.warn(
      { file, bytes, size, corpora: corpora.length },
      'a segment of the code index is damaged or missing',
    );
  }
  const named = new Set(readSegments(database).map(({ file }) => file));
  for (const file of readdirSync(segmentFolder(dir)))
    if (!named.has(file)) rmSync(join(segmentFolder(dir), file), { recursive: true, force: true });
}
