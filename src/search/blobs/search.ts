import type { Project } from '../../core/tables.ts';
import type { Page, PageFacts } from '../../platform/http/pagination.ts';
import type { CodeSearch } from '../code/code-search.ts';
import type { Blob, WikiBlob } from './entities.ts';

/** What is needed of a project in which blobs are looked for. */
export type SearchedProject = Pick<Project, 'id' | 'storage_path' | 'default_branch'>;

export interface BlobSearch {
  /** Hits come in this order of projects. The caller may read the code (for wiki blobs: the wiki) of each. */
  projects: readonly SearchedProject[];
  /** Branch, tag or commit; the default branch when empty. For searches of one project. */
  ref?: string | null | undefined;
  /** As the caller typed it. */
  search: string;
  /** The words left beside the filters are a regular expression. */
  regex?: boolean | undefined;
  caseSensitive?: boolean | undefined;
  page: Page;
  /** Whether GitLab tells how many there are: on the project route. */
  counted: boolean;
  signal?: AbortSignal | undefined;
}

export interface BlobPage<Element> {
  items: Element[];
  /** For `pageAnswer`. `total` is there when it was asked for and is known. */
  facts: PageFacts;
  /** Projects left out because the index does not hold them yet and git would take too long: `X-Search-Skipped-Projects`. */
  skipped: number;
}

/** Names first, then contents, over all projects. Throws 400 for an expression that cannot be read, 503 when too much waits. */
export declare function searchBlobs(codeSearch: CodeSearch, asked: BlobSearch): Promise<BlobPage<Blob>>;
export declare function searchWikiBlobs(
  codeSearch: CodeSearch,
  asked: BlobSearch,
): Promise<BlobPage<WikiBlob>>;
