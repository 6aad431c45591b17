/** Which paths may be written into a tree. */

/** Refusals in GitLab's words. */
export class TreeEditError extends Error {
  override name = 'TreeEditError';
}

// Code points that HFS+ ignores in names, so that `.g\u200cit` opens `.git` (git's utf8.c, next_hfs_char).
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

// NTFS drops dots and blanks at the end, has a short name, and reads what follows a colon as a stream (`::$INDEX_ALLOCATION`).
const NTFS_DOTGIT = /^(?:\.git|git~1)[ .]*(?::.*)?$/is;

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4096;

/** Cleans as GitLab does (a leading slash goes, `a/../b` is `b`) and returns the parts. Throws TreeEditError. */
export function treePath(path: string): string[] {
  if (path.trim() === '') throw new TreeEditError('You must provide a file path');
  const parts: string[] = [];
  for (const part of path.replace(/^\//, '').split('/')) {
    if (part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw new TreeEditError('Path cannot include directory traversal');
  }
  if (parts.length === 0) throw new TreeEditError('You must provide a file path');
  if (!parts.every(isAllowedName) || Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new TreeEditError(`invalid path: '${path}'`);
  return parts;
}

/** False for names that no tree should hold, `.git` in any disguise first of all: a checkout of it would run the pusher's hooks. */
export function isAllowedName(name: string): boolean {
  if (name === '' || name.includes('\0') || !name.isWellFormed()) return false;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  if (name.replace(HFS_IGNORED, '').toLowerCase() === '.git') return false;
  // a backslash parts folders on Windows
  return !name.split('\\').some((part) => NTFS_DOTGIT.test(part));
}
