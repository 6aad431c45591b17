import { type Bitmap, emptyBitmap, intersect, unite } from './bitmap.ts';
import { CommonChunks } from './kernel/chunk-set.ts';
import type { Requirement } from './match/requirement.ts';
import type { SegmentFile } from './segment-file.ts';

/** More lists hardly rule out more chunks; the rarest come first. */
const MAX_LISTS = 12;
/** With so few chunks left, testing their signatures is quicker than reading another list. */
const FEW_CHUNKS = 8;

/** The lists of a segment that is open. */
export interface Lists {
  file: SegmentFile;
  /** The list of a row of the dictionary. */
  read(row: number): Buffer;
}

/** The chunks that may hold what is required, or undefined for all of them. */
export function lookUp(requirement: Requirement, lists: Lists): Bitmap | undefined {
  switch (requirement.kind) {
    case 'any':
      return undefined;
    case 'text':
      return lookUpText(requirement.trigrams, lists);
    case 'all':
      return lookUpParts(requirement.parts, lists, intersect);
    case 'one':
      return lookUpParts(requirement.parts, lists, unite);
  }
}

function lookUpParts(
  parts: readonly Requirement[],
  lists: Lists,
  combine: (into: Bitmap, other: Bitmap) => void,
): Bitmap | undefined {
  let result: Bitmap | undefined;
  for (const part of parts) {
    const found = lookUp(part, lists);
    // A requirement is built without parts that require nothing; all chunks would then be all there is to say.
    if (found === undefined) return undefined;
    if (result === undefined) result = found;
    else combine(result, found);
  }
  return result;
}

function lookUpText(trigrams: Uint32Array, { file, read }: Lists): Bitmap {
  const { counts } = file.tables;
  const rows = Array.from(trigrams, (code) => file.rowOf(code));
  if (rows.includes(-1)) return emptyBitmap(file.footer.chunks);
  rows.sort((a, b) => counts[a]! - counts[b]!);
  const common = new CommonChunks(file.footer.chunks);
  for (const row of rows.slice(0, MAX_LISTS)) {
    common.keep(file.listOf(row, read(row)));
    if (common.size <= FEW_CHUNKS) break;
  }
  return common.toBitmap();
}
