import { isAllowedName } from '../../git/path-rules.ts';
import { fail } from '../../platform/errors.ts';

/** How titles, slugs and the paths of pages hang together. */

/** GitLab's bounds: with its ending a file still has a name of at most 255 bytes. */
const MAX_TITLE_BYTES = 245;
const MAX_FOLDER_BYTES = 255;

/** How a page is asked for: as its file is called, without the ending; blanks are hyphens. */
export const slugOf = (text: string): string => text.replace(/^\/+/, '').replaceAll(' ', '-');

/** What a page is called: the last part of its slug, hyphens read as blanks. */
export const titleOf = (slug: string): string => slug.slice(slug.lastIndexOf('/') + 1).replaceAll('-', ' ');

/**
 * Where a page of this title goes, without the ending: `How to/Set up` to `How-to/Set-up`. A title without a slash stays in the
 * folder of the page that is renamed; one that begins with a slash goes to the top. Throws 400 in GitLab's words.
 */
export function pathForTitle(title: string, folder = ''): string {
  const parts = title.split('/').map(squish);
  if (parts.every((part) => part === '')) throw fail.invalid({ title: ["can't be blank"] });
  const inFolder = parts.length === 1 && folder !== '';
  const wanted = parts.filter((part) => part !== '').map((part) => part.replaceAll(' ', '-'));
  refuseTooLong(wanted);
  if (!wanted.every(isPageName)) throw fail.invalid({ title: ['is invalid'] });
  return [...(inFolder ? [folder] : []), ...wanted].join('/');
}

/** `a/b/c` to `a/b`; nothing for a page at the top. */
export const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

const squish = (text: string): string => text.trim().replace(/\s+/g, ' ');

const isPageName = (name: string): boolean =>
  name !== '.' && name !== '..' && isAllowedName(name) && !/[\0-\x1f\x7f]/.test(name);

function refuseTooLong(parts: readonly string[]): void {
  const bytes = (text: string) => Buffer.byteLength(text);
  const folder = parts.slice(0, -1).find((part) => bytes(part) > MAX_FOLDER_BYTES);
  if (folder !== undefined) {
    const text = `exceeds the limit of ${MAX_FOLDER_BYTES} bytes for directory name "${folder}"`;
    throw fail.invalid({ title: [text] });
  }
  if (bytes(parts.at(-1) ?? '') > MAX_TITLE_BYTES) {
    throw fail.invalid({ title: [`exceeds the limit of ${MAX_TITLE_BYTES} bytes`] });
  }
}
