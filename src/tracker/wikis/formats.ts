/** How pages may be written, GitLab's names, each with the endings of its files; the first is what new pages get. */
const FORMATS = {
  markdown: ['md', 'mkd', 'mkdn', 'mdown', 'markdown'],
  rdoc: ['rdoc'],
  asciidoc: ['asciidoc', 'adoc'],
  org: ['org'],
  // These come by `git push` alone.
  textile: ['textile'],
  creole: ['creole'],
  rest: ['rst', 'rest', 'rst.txt', 'rest.txt'],
  mediawiki: ['wiki', 'mediawiki'],
  pod: ['pod'],
  plaintext: ['txt'],
} as const;

export type WikiFormat = keyof typeof FORMATS;

/** What a caller may ask for. */
export const WRITABLE_FORMATS = ['markdown', 'rdoc', 'asciidoc', 'org'] as const;
export type WritableFormat = (typeof WRITABLE_FORMATS)[number];

export const endingOf = (format: WritableFormat): string => FORMATS[format][0];

const formatByEnding = new Map<string, WikiFormat>(
  Object.entries(FORMATS).flatMap(([format, endings]) =>
    endings.map((ending) => [ending, format as WikiFormat] as const),
  ),
);
/** The shortest stem: of `a.rst.txt` the ending is `rst.txt`. */
const PAGE_FILE = new RegExp(
  `^(.+?)\\.(${[...formatByEnding.keys()].join('|').replaceAll('.', '\\.')})$`,
  'is',
);

export interface PageFile {
  /** The path without its ending. */
  stem: string;
  format: WikiFormat;
}

/** What a file of a wiki is as a page; null for pictures and whatever else lies there. */
export function pageFile(path: string): PageFile | null {
  const match = PAGE_FILE.exec(path);
  const stem = match?.[1];
  const format = formatByEnding.get(match?.[2]?.toLowerCase() ?? '');
  if (!stem || !format || stem.endsWith('/')) return null;
  return { stem, format };
}
