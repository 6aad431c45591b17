import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Core } from '../../core/core.ts';
import { Places } from '../../git/places.ts';
import type { ObjectStore, StoredObject } from '../../platform/objects/object-store.ts';
import { Breath } from '../config/breath.ts';
import { doomArtifact, insertComing, objectKey } from './store.ts';
import type { ArtifactRow } from './tables.ts';
import { type Listed, Listing } from './zip/listing.ts';
import { ObjectWindow } from './zip/object-reader.ts';
import { BadArchive } from './zip/zip-error.ts';

export const METADATA_FILENAME = 'metadata.gz';

const VERSION = 'GitLab Build Artifacts Metadata 0.0.2\n';
/** Where GitLab would tell of errors. */
const NO_ERRORS = '{}';

/** Lists of this many archives are in memory at once, some 50 MB each at the most. */
const AT_ONCE = 2;
const MAX_WAIT_MS = 60_000;
const PIECE_BYTES = 64 * 1024;

type Deps = Pick<Core, 'db' | 'clock'> & { objects: ObjectStore };

/** Writes what archives hold as files of their own, which GitLab keeps beside each of them. */
export class MetadataWriter {
  readonly #deps: Deps;
  readonly #places = new Places(AT_ONCE, MAX_WAIT_MS);

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Its bytes, which nobody sees yet; null for an archive that is broken, or holds more than the service would list. */
  async write(
    archive: ArtifactRow,
    size: number,
  ): Promise<{ row: ArtifactRow; stored: StoredObject } | null> {
    const release = await this.#places.acquire();
    try {
      const source = new ObjectWindow(this.#deps.objects, { key: objectKey(archive), size });
      return await this.#put(archive, await Listing.read(source));
    } catch (error) {
      if (error instanceof BadArchive) return null;
      throw error;
    } finally {
      release();
    }
  }

  async #put({ job_id, project_id, pipeline_id }: ArtifactRow, listing: Listing) {
    const { db, clock, objects } = this.#deps;
    const row = await insertComing(db, {
      job_id,
      project_id,
      pipeline_id,
      file_type: 'metadata',
      file_format: 'gzip',
      filename: METADATA_FILENAME,
      created_at: clock.now(),
      expire_at: null,
    });
    try {
      const stored = await pipeline(piecesOf(listing), createGzip(), (packed) =>
        objects.put(objectKey(row), Readable.from(packed)),
      );
      return { row, stored };
    } catch (error) {
      await doomArtifact(db, row.id);
      throw error;
    }
  }
}

/** Texts with their lengths before them, in GitLab's order: the version, the errors, each path with what is known of it. */
async function* piecesOf(listing: Listing): AsyncGenerator<Buffer> {
  const breath = new Breath();
  let texts: Buffer[] = [...withLength(Buffer.from(VERSION)), ...withLength(Buffer.from(NO_ERRORS))];
  let bytes = 0;
  for (const path of await listing.sorted()) {
    const listed = listing.of(path);
    texts.push(...withLength(Buffer.from(path, 'latin1')), ...withLength(Buffer.from(factsText(listed))));
    bytes += path.length;
    if (texts.length < 1000 && bytes < PIECE_BYTES) continue;
    yield Buffer.concat(texts);
    texts = [];
    bytes = 0;
    await breath.take();
  }
  yield Buffer.concat(texts);
}

function withLength(text: Buffer): [Buffer, Buffer] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return [length, text];
}

/** What is zero or empty is left away, as GitLab does. */
function factsText({ facts }: Listed): string {
  if (!facts) return '{}\n';
  const { modified, mode, crc, size, packedSize, comment } = facts;
  const shown = {
    ...(modified !== 0 && { modified }),
    mode: mode.toString(8),
    ...(crc !== 0 && { crc }),
    ...(size !== 0 && { size }),
    ...(packedSize !== 0 && { zipped: packedSize }),
    ...(comment !== '' && { comment }),
  };
  return `${JSON.stringify(shown)}\n`;
}
