import type { Counter } from 'prom-client';
import { pauses } from '../../git/pause.ts';
import { GitTimeout } from '../../git/process.ts';
import { RepositoryNotFound } from '../../git/repository.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import {
  type CodeAnswer,
  type CodeHit,
  type CodeIndex,
  CodeIndexBusy,
  type CodePattern,
  type CodeQuery,
  CorpusLost,
  type CorpusName,
  InvalidPattern,
  type PathFilter,
} from './code-index.ts';
import { type Corpus, tipOf } from './corpora.ts';
import type { GitSearch } from './git/git-search.ts';
import { KnownAnswers } from './known-answers.ts';

/** One tree to search: a corpus at its tip, or at another commit of its repository. */
export interface Place extends Corpus {
  commit?: string | undefined;
}

export interface CodeSearchQuery {
  /** In this order come the hits. */
  places: readonly Place[];
  part: 'names' | 'contents';
  pattern: CodePattern;
  filters: readonly PathFilter[];
  limit: number;
  /** How many hits to give, all where it is not said. */
  shown?: number;
  /** With `names`: the contents are looked for as well, so far, unless there are `limit` names. */
  contents?: CodeQuery['contents'] | undefined;
}

export interface CodeSearchAnswer {
  hits: CodeHit[];
  /** How many there are, with those that are not given: at most `limit`. */
  found: number;
  /** Whether the search ended because it had `limit` hits. */
  truncated: boolean;
  /** Places left out because the index does not hold them and git would take too long for all of them. */
  skipped: number;
  /** What was asked for with the names, where the index alone had to be asked. Else it is to be asked for by itself. */
  contents?: CodeSearchAnswer;
}

export interface CodeSearchOptions {
  /** Null where the index is turned off. */
  index: (() => Promise<CodeIndex>) | null;
  /** Whether the index is known to be at the tip of the corpus, without a look at the repository. */
  isSettled: (name: CorpusName) => boolean;
  git: GitSearch;
  log: Log;
  metrics: Metrics;
  /** How long git may search one place that was asked for alone; 10 seconds, for names and for contents each. */
  aloneMs?: number;
  /** How long git may search all places that the index does not hold, when there are several; 1.5 seconds for each as well. */
  togetherMs?: number;
}

const NOTHING: CodeSearchAnswer = { hits: [], found: 0, truncated: false, skipped: 0 };

/** Of so few places the tips are looked at in any case, which costs some 30 us each. */
const FEW = 50;

/** A place, and the commit at which it is to be searched. */
interface Target {
  place: Place;
  commit: string;
}

/** Exact search in files: by the index where it holds what is asked for, by git everywhere else, with the same hits. */
export class CodeSearch {
  readonly #options: CodeSearchOptions;
  readonly #searched: Counter;
  readonly #known = new KnownAnswers();

  constructor(options: CodeSearchOptions) {
    this.#options = options;
    this.#searched = options.metrics.counter(
      'ingot_search_places_total',
      'projects and wikis searched for code, by what answered; `skipped` were left out for lack of time',
      ['by'],
    );
  }

  /** Whether there is an index: searches over many projects are offered only then. */
  get enabled(): boolean {
    return this.#options.index !== null;
  }

  /**
   * Never waits for the indexer. Throws InvalidPattern, CodeIndexBusy, GitTimeout (of one place that was asked for alone), the
   * signal's reason, 503 when git has too much to do.
   */
  async search(query: CodeSearchQuery, signal?: AbortSignal): Promise<CodeSearchAnswer> {
    if (query.places.length === 0 || query.limit < 1) return NOTHING;
    const index = await this.#index();
    const { held, others } = await this.#sort(query.places, index);
    // What git finds comes between the hits of the index: all of them are needed to count.
    const { limit, shown = limit } = query;
    const asked = others.length > 0 ? { ...query, shown: limit, contents: undefined } : { ...query, shown };
    const byIndex = index && held.length > 0 ? await this.#askIndex(index, held, asked, signal) : NOTHING;
    if (byIndex === null) return this.#merge(query, [], await this.#targets(query.places), signal);
    this.#searched.inc({ by: 'index' }, held.length);
    if (others.length > 0) return this.#merge(query, byIndex.hits, others, signal);
    return ofIndexAlone(byIndex, query);
  }

  async #index(): Promise<CodeIndex | null> {
    try {
      return (await this.#options.index?.()) ?? null;
    } catch {
      return null; // told in the log by who opens it; git answers instead
    }
  }

  /** What the index holds at the very commit, and what git must look for. Places without a commit have nothing to find. */
  async #sort(places: readonly Place[], index: CodeIndex | null) {
    if (!index) return { held: [], others: await this.#targets(places) };
    const indexed = index.commits(places.map(({ name }) => name));
    const held: CorpusName[] = [];
    const unsure: Place[] = [];
    for (const place of places) {
      const trusted = !place.commit && places.length > FEW && this.#options.isSettled(place.name);
      if (!trusted) unsure.push(place);
      else if (indexed.has(place.name)) held.push(place.name);
    }
    const others: Target[] = [];
    for (const target of await this.#targets(unsure)) {
      if (indexed.get(target.place.name) === target.commit) held.push(target.place.name);
      else others.push(target);
    }
    if (unsure.length > 0 && held.length > 0) sortLike(held, places);
    return { held, others };
  }

  async #targets(places: readonly Place[]): Promise<Target[]> {
    const targets: Target[] = [];
    const pause = pauses();
    for (const place of places) {
      await pause();
      const commit = place.commit ?? (await tipOf(place));
      if (commit) targets.push({ place, commit });
    }
    return targets;
  }

  /** Null when the index fails: it can be rebuilt, so it must not take the search with it. */
  async #askIndex(
    index: CodeIndex,
    corpora: CorpusName[],
    { part, pattern, filters, limit, shown = limit, contents }: CodeSearchQuery,
    signal: AbortSignal | undefined,
  ): Promise<CodeAnswer | null> {
    try {
      const query = { corpora, part, pattern, filters, limit, shown, ...(contents && { contents }) };
      return await this.#known.search(index, query, signal);
    } catch (error) {
      if (signal?.aborted || error instanceof InvalidPattern || error instanceof CodeIndexBusy) throw error;
      if (!(error instanceof CorpusLost))
        this.#options.log.error({ err: error }, 'the code index failed: this search reads the repositories');
      return null;
    }
  }

  /** Puts the hits of git between those of the index, in the order of the places. */
  async #merge(
    query: CodeSearchQuery,
    byIndex: readonly CodeHit[],
    targets: readonly Target[],
    signal: AbortSignal | undefined,
  ): Promise<CodeSearchAnswer> {
    const { limit, shown = limit, places } = query;
    const ofIndex = Map.groupBy(byIndex, ({ corpus }) => corpus);
    const toSearch = new Map(targets.map((target) => [target.place, target]));
    const budget = new Budget(this.#options, places.length);
    const hits: CodeHit[] = [];
    let skipped = 0;
    for (const place of places) {
      const target = toSearch.get(place);
      const found = target
        ? await this.#askGit(target, { ...query, limit: limit - hits.length }, budget, signal)
        : (ofIndex.get(place.name) ?? []);
      if (found === null) skipped++;
      else hits.push(...found.slice(0, limit - hits.length));
      if (hits.length >= limit) break;
    }
    return { hits: hits.slice(0, shown), found: hits.length, truncated: hits.length >= limit, skipped };
  }

  /** Null when there is no time left for it. */
  async #askGit(
    { place, commit }: Target,
    query: CodeSearchQuery,
    budget: Budget,
    signal: AbortSignal | undefined,
  ): Promise<CodeHit[] | null> {
    const timeoutMs = budget.left();
    try {
      if (timeoutMs <= 0) throw new GitTimeout('no time is left');
      const hits = await this.#options.git.search({ ...query, place, commit }, { signal, timeoutMs });
      this.#searched.inc({ by: 'git' });
      return hits;
    } catch (error) {
      if (error instanceof RepositoryNotFound) return []; // deleted meanwhile
      if (!(error instanceof GitTimeout) || budget.alone) throw error;
      this.#searched.inc({ by: 'skipped' });
      return null;
    }
  }
}

function ofIndexAlone(
  { hits, found, contents }: CodeAnswer,
  { limit, contents: asked }: Pick<CodeSearchQuery, 'limit' | 'contents'>,
): CodeSearchAnswer {
  const answer = { hits: [...hits], found, truncated: found >= limit, skipped: 0 };
  return contents && asked ? { ...answer, contents: ofIndexAlone(contents, asked) } : answer;
}

/** The time that git has for one search. */
class Budget {
  readonly alone: boolean;
  readonly #end: number;

  constructor({ aloneMs = 10_000, togetherMs = 1_500 }: CodeSearchOptions, places: number) {
    this.alone = places === 1;
    this.#end = performance.now() + (this.alone ? aloneMs : togetherMs);
  }

  left(): number {
    return this.#end - performance.now();
  }
}

function sortLike(names: CorpusName[], places: readonly Place[]): void {
  const rank = new Map(places.map(({ name }, at) => [name, at]));
  names.sort((a, b) => rank.get(a)! - rank.get(b)!);
}
