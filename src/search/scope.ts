import type { Viewer } from '../core/access/store.ts';
import type { Caller } from '../core/caller.ts';
import type { Core } from '../core/core.ts';
import type { Page, PageFacts } from '../platform/http/pagination.ts';
import type { SearchParams } from './params.ts';
import type { Place } from './place.ts';
import type { Position } from './text/walk.ts';

/** One search as its scope sees it. */
export interface Search {
  core: Core;
  caller: Caller;
  viewer: Viewer;
  place: Place;
  /** What is looked for, as it was sent, blanks around it taken away. */
  text: string;
  params: SearchParams;
  window: PageWindow;
  baseUrl: string;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** The part of the list that was asked for: by number, or behind a position. */
export type PageWindow =
  | { by: 'number'; page: Page }
  | { by: 'position'; after: Position | null; perPage: number };

export interface SearchResult {
  items: unknown[];
  /** For a page by number. */
  facts?: PageFacts;
  /** For a page by position: where the next one begins; null at the end. */
  next?: Position | null;
  headers?: Record<string, string>;
}

export type Scope = (search: Search) => Promise<SearchResult>;
