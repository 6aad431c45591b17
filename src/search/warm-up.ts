import type { Core } from '../core/core.ts';
import { searchBlobs } from './blobs/search.ts';
import type { CorpusName } from './code/code-index.ts';
import type { CodeSearch } from './code/code-search.ts';
import { isWiki, projectIdOf } from './code/corpora.ts';
import { findCodeProject } from './code/corpora-store.ts';

/** Words that code is full of, in most languages. */
const WORDS = `
  static public const function class module export error value name type list file path data index key buffer length count
  null void int char struct self this new test assert config option include define get set add remove update delete
`
  .trim()
  .split(/\s+/);
const PHRASES = [
  'the size of',
  'is not set',
  'default value',
  'if (result',
  'copyright (c)',
  'for each of the',
  'should be',
  'in the same',
];
/** Words made of the beginnings of others, for each of those above: hardly any file holds one, so a search for it takes a quarter of the time. */
const MADE_UP = 8;

/** So that each thread has its share. */
const AT_ONCE = 2;
/** However slow the machine is. */
const MAX_MS = 10_000;
/** Projects that are looked into. */
const MAX_PROJECTS = 20;
const FIRST_PAGE = { page: 1, perPage: 20, offset: 0 };

/**
 * Looks for some words as soon as the threads of a large code index are awake, until somebody searches: the code of a search is
 * compiled then, in this thread and in those, and lists that many searches need are in memory. It takes 1 to 2 s on an index of
 * 400 MB; without it the first dozen of searches takes more than twice as long.
 */
export class WarmUp {
  readonly #core: Core;
  readonly #over = new AbortController();

  constructor(core: Core) {
    this.#core = core;
  }

  /** Somebody searches, or nobody will any more: the threads are free at once. */
  end(): void {
    this.#over.abort();
  }

  /** Never rejects: what goes wrong is told to whoever searches next. */
  async run(codeSearch: CodeSearch, corpora: readonly CorpusName[]): Promise<void> {
    const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(MAX_MS)]);
    if (signal.aborted) return;
    try {
      const projects = await this.#projectsOf(corpora);
      const texts = textsToLookFor().values();
      const lookForNext = async () => {
        for (const search of texts) {
          const asked = { projects, search, page: FIRST_PAGE, counted: true, signal };
          await searchBlobs(this.#core, codeSearch, asked);
          if (signal.aborted) return;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lookForNext));
    } catch (error) {
      if (signal.aborted) return;
      this.#core.log.debug({ err: error }, 'the code search was not warmed up');
    }
  }

  async #projectsOf(corpora: readonly CorpusName[]) {
    const names = corpora.filter((name) => !isWiki(name)).slice(0, MAX_PROJECTS);
    const found = names.map((name) => findCodeProject(this.#core.db, projectIdOf(name)));
    return (await Promise.all(found)).filter((project) => project !== undefined);
  }
}

/** What many files hold, and in between what hardly any does; at the end what takes longest. */
export function textsToLookFor(): string[] {
  const texts = [...WORDS, ...PHRASES].flatMap((text, at) => [
    ...Array.from({ length: MADE_UP }, (_, n) => madeUp(at * MADE_UP + n)),
    text,
  ]);
  return [...new Set(texts)];
}

/** A word like `staexpde`: another one for each number. */
function madeUp(number: number): string {
  const long = WORDS.filter((word) => word.length > 3);
  const beginning = (n: number, length: number) => long[n % long.length]!.slice(0, length);
  const turn = Math.floor(number / long.length);
  return beginning(number, 3) + beginning(number * 5 + 1 + turn, 3) + beginning(number * 3 + 2, 2);
}
