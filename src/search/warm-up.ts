import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnRequests } from '../core/own-requests.ts';
import type { Log } from '../platform/log.ts';
import type { CorpusName } from './code/code-index.ts';
import { isWiki, projectIdOf } from './code/corpora.ts';

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
const MADE_UP = 16;

/** When nobody has searched for so long it goes on. */
const QUIET_MS = 300;
/** What all its searches may take, however slow the machine is. */
const MAX_MS = 15_000;
/** Projects that are looked into. */
const MAX_PROJECTS = 20;

interface Options {
  log: Log;
  /** Closed at the end. */
  own: Pick<OwnRequests, 'get' | 'close'>;
  quietMs?: number;
}

/**
 * Searches for some words as soon as the threads of a large code index are awake, by the front door: the code of a search is compiled
 * then, from the first line of the request on, and lists that many searches need are in memory. When somebody searches it makes way, and goes on when nobody
 * does. It takes 2 s on an index of 400 MB; without it the first dozen of searches takes more than twice as long.
 */
export class WarmUp {
  readonly #options: Required<Options>;
  readonly #over = new AbortController();
  readonly #texts = textsToLookFor().values();
  /** Of the search under way. */
  #underWay: AbortController | null = null;
  #lastOther = Number.NEGATIVE_INFINITY;
  #spentMs = 0;

  constructor(options: Options) {
    this.#options = { quietMs: QUIET_MS, ...options };
  }

  /** Somebody else searches, which compiles as much as one of the searches here: the thread is free at once. */
  makeWay(): void {
    this.#lastOther = performance.now();
    this.#texts.next();
    this.#underWay?.abort();
  }

  /** For good. */
  end(): void {
    this.#over.abort();
    this.#underWay?.abort();
    this.#options.own.close();
  }

  /** Ends when there is nothing left to look for. Never rejects: what goes wrong is told to whoever searches next. */
  async run(corpora: readonly CorpusName[]): Promise<void> {
    const places = placesOf(corpora);
    if (places.length === 0) return;
    try {
      for (let asked = 0; await this.#isQuiet(); asked++) {
        const { done, value: text } = this.#texts.next();
        if (done) return;
        const place = places[asked % places.length]!;
        await this.#search(`${place}/search?scope=blobs&search=${encodeURIComponent(text)}`);
      }
    } catch (error) {
      if (!this.#over.signal.aborted)
        this.#options.log.debug({ err: error }, 'the code search was not warmed up');
    } finally {
      this.end();
    }
  }

  /** Waits until nobody else searches; false when there is nothing more to do. */
  async #isQuiet(): Promise<boolean> {
    const { signal } = this.#over;
    for (;;) {
      if (signal.aborted || this.#spentMs > MAX_MS) return false;
      const left = this.#lastOther + this.#options.quietMs - performance.now();
      if (left <= 0) return true;
      await sleep(left, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  async #search(path: string): Promise<void> {
    const begin = performance.now();
    const underWay = new AbortController();
    const { signal } = underWay;
    this.#underWay = underWay;
    try {
      const status = await this.#options.own.get(path, signal);
      if (status !== 200 && status !== 404) throw new Error(`${status} for ${path}`); // a project may be gone
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#underWay = null;
      this.#spentMs += performance.now() - begin;
    }
  }
}

/** Each project, and when there are several, all of them. */
function placesOf(corpora: readonly CorpusName[]): string[] {
  const projects = corpora.filter((name) => !isWiki(name)).slice(0, MAX_PROJECTS);
  const places = projects.map((name) => `/projects/${projectIdOf(name)}`);
  return places.length > 1 ? [...places, ''] : places;
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
