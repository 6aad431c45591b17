import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { fail } from '../../platform/errors.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { objectKey } from '../artifacts/store.ts';
import type { ArtifactRow } from '../artifacts/tables.ts';
import type { DotenvVariable } from './dotenv-store.ts';

/** GitLab's limits for such a file, unpacked. */
const MAX_BYTES = 5 * 1024;
const MAX_VARIABLES = 150;

/** The variables of an uploaded dotenv report. Throws 400 in GitLab's words. */
export async function readDotenv(
  objects: ObjectStore,
  row: Pick<ArtifactRow, 'id'>,
): Promise<DotenvVariable[]> {
  const packed = await objects.get(objectKey(row), { start: 0, end: MAX_BYTES * 2 });
  const bytes = await unpack(packed);
  if (bytes.length > MAX_BYTES) {
    throw fail.refused(`Dotenv Artifact Too Big. Maximum Allowable Size: ${MAX_BYTES}`);
  }
  const variables = parseDotenv(bytes);
  if (variables === null) throw fail.refused('Invalid Format');
  if (variables.length > MAX_VARIABLES) {
    throw fail.refused(`Dotenv files cannot have more than ${MAX_VARIABLES} variables`);
  }
  return variables;
}

/** Up to one byte more than is allowed: a file that would unpack to gigabytes is not unpacked. */
async function unpack(packed: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const unzip = createGunzip();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    unzip.end(await buffer(packed));
    for await (const chunk of unzip) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > MAX_BYTES) break;
    }
  } catch {
    throw fail.refused('Invalid Format'); // no gzip, or a broken one
  }
  return Buffer.concat(chunks);
}

const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

/** `KEY=VALUE` a line, blanks around either dropped; of a key that comes twice the last counts. Null for anything else. */
export function parseDotenv(bytes: Buffer): DotenvVariable[] | null {
  const text = new TextDecoder('utf-8', { fatal: false }).decode(bytes);
  if (text.includes('\0') || text.includes('\ufffd')) return null;
  const variables = new Map<string, string>();
  for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/)) {
    const at = line.indexOf('=');
    const key = line.slice(0, Math.max(at, 0)).trim();
    if (!KEY.test(key)) return null;
    variables.set(key, line.slice(at + 1).trim());
  }
  return [...variables].map(([key, value]) => ({ key, value }));
}
