/** Whether it is an error of the file system, and one of these. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** ENOTDIR and EISDIR: a segment of the key is an object of its own, or the key is the beginning of others. */
export function isAbsent(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'ERR_FS_EISDIR');
}
