/** Some whole lines of a blob, decoded. */
export interface Piece {
  /** UTF-8, whatever the blob is in: `decodeText` has seen it. */
  text: Buffer;
  ascii: boolean;
}

/**
 * The text as a string in which each character is a byte: quickest to make and to search. Its positions are those of
 * `text`, but only what is ASCII means what it seems to.
 */
export function latin1Of(piece: Piece): string {
  return piece.text.toString('latin1');
}

export function stringOf(piece: Piece): string {
  return piece.ascii ? piece.text.toString('latin1') : piece.text.toString();
}
