/** Some whole lines of a blob, decoded. */
export interface Piece {
  /** UTF-8, whatever the blob is in: `decodeText` has seen it. */
  text: Buffer;
  ascii: boolean;
}

export function stringOf(piece: Piece): string {
  return piece.ascii ? piece.text.toString('latin1') : piece.text.toString();
}
