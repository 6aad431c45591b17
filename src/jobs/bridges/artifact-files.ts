import { text } from 'node:stream/consumers';
import type { Db } from '../../platform/db/tables.ts';
import { ObjectNotFound } from '../../platform/objects/object-store.ts';
import { jobWithArchive } from '../artifacts/by-ref-store.ts';
import { findArtifact, objectKey } from '../artifacts/store.ts';
import type { Archives } from '../artifacts/zip/archives.ts';
import { BadArchive } from '../artifacts/zip/zip-error.ts';
import type { ArtifactFiles } from './child-config.ts';

/** A configuration that is larger is refused anyway. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Single files out of what the jobs of a pipeline have stored. */
export function artifactFiles(db: Db, archives: Archives): ArtifactFiles {
  return {
    async read(pipelineId, jobName, path) {
      const job = await jobWithArchive(db, [pipelineId], jobName);
      const row = job && (await findArtifact(db, job.id, 'archive'));
      if (!row) return null;
      const archive = { key: objectKey(row), size: row.size };
      try {
        const entry = (await archives.index(archive)).find(path.replace(/^\.?\//, ''));
        if (entry?.kind !== 'file' || entry.size > MAX_BYTES) return null;
        return await text(await archives.open(archive, entry));
      } catch (error) {
        // what a job has stored may be anything, and may be swept away meanwhile
        if (error instanceof BadArchive || error instanceof ObjectNotFound) return null;
        throw error;
      }
    },
  };
}
