import type { Core } from '../../core/core.ts';
import type { Project } from '../../core/tables.ts';
import { GitTimeout } from '../../git/process.ts';
import { RepositoryNotFound } from '../../git/repository.ts';
import { resolveRevision } from '../../git/revision.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import type { Page, PageFacts } from '../../platform/http/pagination.ts';
import { CodeIndexBusy, type CodePattern, type CorpusName, InvalidPattern } from '../code/code-index.ts';
import type { CodeSearch, Place } from '../code/code-search.ts';
import { type Corpus, codeOf, wikiOf } from '../code/corpora.ts';
import { isOddRef } from '../hopeless.ts';
import { type Blob, type FoundBlob, presentBlob, presentWikiBlob, type WikiBlob } from './entities.ts';
import { type HitPage, pageOfHits } from './page.ts';
import { parseBlobQuery } from './query.ts';
import { inPages } from './wiki-pages.ts';

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
  /** Whether `case:yes` and `case:no` in `search` are words of the query, as in GitLab's exact code search. */
  readsCase?: boolean | undefined;
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

/**
 * Names first, then contents, over all projects. Throws 400 for an expression that cannot be read, 408 when git takes too
 * long in the one project that was asked for, 503 when too much waits.
 */
export async function searchBlobs(
  core: Core,
  codeSearch: CodeSearch,
  asked: BlobSearch,
): Promise<BlobPage<Blob>> {
  const query = parseBlobQuery(asked.search, asked);
  const pattern = patternOf(query.term, { ...asked, ...query });
  const spots = await spotsOf(asked, (project) => codeOf(core, project));
  const places = spots.map(({ place }) => place);
  const found = await inApiWords(
    pageOfHits({ ...asked, filtered: query.filters.length > 0 }, (part, wanted) =>
      codeSearch.search({ places, part, pattern, filters: query.filters, ...wanted }, asked.signal),
    ),
  );
  return present(found, spots, presentBlob);
}

/** The same in wikis, where only pages are looked at. An empty search finds nothing there. */
export async function searchWikiBlobs(
  core: Core,
  codeSearch: CodeSearch,
  asked: BlobSearch,
): Promise<BlobPage<WikiBlob>> {
  const query = parseBlobQuery(asked.search, asked);
  const { term, filters } = query;
  const isBlank = asked.search.trim() === '';
  const spots = isBlank ? [] : await spotsOf(asked, (project) => wikiOf(core, project));
  const places = spots.map(({ place }) => place);
  const patterns = {
    // A page `Home page` is kept in the file `Home-page.md`.
    names: patternOf(asked.regex ? term : term.replaceAll(' ', '-'), { ...asked, ...query }),
    contents: patternOf(term, { ...asked, ...query }),
  };
  const found = await inApiWords(
    pageOfHits({ ...asked, filtered: filters.length > 0 }, (part, wanted) =>
      inPages(wanted, (limit) =>
        codeSearch.search({ places, part, pattern: patterns[part], filters, limit }, asked.signal),
      ),
    ),
  );
  return present(found, spots, presentWikiBlob);
}

function patternOf(
  term: string,
  { regex, caseSensitive = false }: Pick<BlobSearch, 'regex' | 'caseSensitive'>,
): CodePattern {
  // A search of filters alone looks for an asterisk, as GitLab's does, and an expression for what it says.
  if (term === '') return { kind: 'literal', text: '*', caseSensitive };
  return regex
    ? { kind: 'regex', source: term, caseSensitive }
    : { kind: 'literal', text: term, caseSensitive };
}

/** GitLab finds nothing for more, and neither would we: no line of code is so long. */
const MAX_SEARCH = 4096;

/** A place to search. */
interface Spot {
  place: Place;
  /** As the caller named it; null for the default branch, whose name is read when there is a hit to tell it with. */
  ref: string | null;
  projectId: number;
}

type ToCorpus = (project: SearchedProject) => Corpus;

async function spotsOf({ projects, ref, search, signal }: BlobSearch, toCorpus: ToCorpus): Promise<Spot[]> {
  if (search.length > MAX_SEARCH) return [];
  if (!ref)
    return projects.map((project) => ({ place: toCorpus(project), ref: null, projectId: project.id }));
  if (isOddRef(ref)) return [];
  const spots = await Promise.all(projects.map((project) => spotAt(project, ref, toCorpus, signal)));
  return spots.filter((spot) => spot !== null);
}

/** Null where the ref means nothing, or there is no repository. */
async function spotAt(
  project: SearchedProject,
  ref: string,
  toCorpus: ToCorpus,
  signal: AbortSignal | undefined,
): Promise<Spot | null> {
  const place = toCorpus(project);
  try {
    const commit = await resolveRevision(place.repository, ref, signal);
    return commit === null ? null : { place: { ...place, commit }, ref, projectId: project.id };
  } catch (error) {
    if (error instanceof RepositoryNotFound) return null;
    throw error;
  }
}

async function inApiWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof InvalidPattern) throw fail.badRequest(error.message);
    if (error instanceof CodeIndexBusy) throw fail.unavailable();
    if (error instanceof GitTimeout) throw new ApiError('search_timeout', {}, { cause: error });
    throw error;
  }
}

async function present<Element>(
  { hits, facts, skipped }: HitPage,
  spots: readonly Spot[],
  toElement: (found: FoundBlob) => Element,
): Promise<BlobPage<Element>> {
  const byCorpus = new Map<CorpusName, Spot>(spots.map((spot) => [spot.place.name, spot]));
  const refs = new Map<Spot, string>();
  for (const { corpus } of hits) {
    const spot = byCorpus.get(corpus)!;
    if (!refs.has(spot)) refs.set(spot, await refNameOf(spot));
  }
  const items = hits.map(({ corpus, path, data, startLine }) => {
    const spot = byCorpus.get(corpus)!;
    return toElement({ path, data, startLine, ref: refs.get(spot)!, projectId: spot.projectId });
  });
  return { items, facts, skipped };
}

async function refNameOf({ place, ref }: Spot): Promise<string> {
  const name = ref ?? place.branch;
  if (name !== null) return name;
  try {
    return await place.repository.head();
  } catch (error) {
    if (error instanceof RepositoryNotFound) return 'HEAD'; // deleted since it was searched
    throw error;
  }
}
