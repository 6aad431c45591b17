/** Some whole lines of a blob, decoded. */
export interface Chunk {
  /** UTF-8, whatever the blob is in: `decodeText` has seen it. */
  text: Buffer;
  ascii: boolean;
}

/**
 * The text as a string in which each character is a byte: quickest to make and to search. Its positions are those of
 * `text`, but only what is ASCII means what it seems to.
 */
export function latin1Of(chunk: Chunk): string {
  return chunk.text.toString('latin1');
}

export function stringOf(chunk: Chunk): string {
  return chunk.ascii ? chunk.text.toString('latin1') : chunk.text.toString();
}
