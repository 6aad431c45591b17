/** The rules of git-check-ref-format, so that no process is needed to refuse a name. */

// control characters, space, DEL and what revision syntax or globbing would read
const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/;
const FORBIDDEN_PART = /(?:^|\/)\.|\.lock(?:\/|$)/;

// a file name holds 255 bytes, and the lock beside it adds five
const MAX_PART_BYTES = 250;
const MAX_BYTES = 1024;

/** Refs of the service's own, `<folder><commit id>`: see `keepAround`. */
export const KEEP_AROUND = 'refs/keep-around/';
/** Where runners find the commit of a pipeline, `<folder><pipeline id>`, though its branch may have moved on. */
export const PIPELINES = 'refs/pipelines/';

/** Folders that come and go with the service's own work: no list shows what is in them. */
export const UNLISTED: readonly string[] = [KEEP_AROUND, PIPELINES];

/** A full name, `refs/heads/main`. */
export function isValidRefName(fullRef: string): boolean {
  if (!fullRef.startsWith('refs/') || fullRef.length <= 5) return false;
  if (FORBIDDEN.test(fullRef) || FORBIDDEN_PART.test(fullRef)) return false;
  if (!fullRef.isWellFormed() || Buffer.byteLength(fullRef) > MAX_BYTES) return false;
  return fullRef.split('/').every((part) => Buffer.byteLength(part) <= MAX_PART_BYTES);
}

/** A name as users give it (`main`, `feature/x`). GitLab also refuses those that would read as a full ref or as HEAD. */
export function isValidBranchName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.startsWith('-')) return false;
  if (name.startsWith('refs/heads/') || name.startsWith('refs/remotes/')) return false;
  return isValidRefName(`refs/heads/${name}`);
}
