/** The archive cannot be read, or what it says of itself cannot be true. The message is for people. */
export class BadArchive extends Error {
  override name = 'BadArchive';
}
