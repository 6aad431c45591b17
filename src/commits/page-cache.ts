import { ObjectCache } from '../git/cache.ts';
import type { Repository } from '../git/repository.ts';
import { type Answer, WrittenJson } from '../platform/http/answer.ts';
import type { ApiRequest, CallerBase } from '../platform/http/request.ts';
import type { Metrics } from '../platform/metrics.ts';

/** A page that is ready to send. */
export interface WrittenPage {
  json: WrittenJson;
  /** What the page's headers need to know of the list: how many items it has. */
  count: number;
  /** The whole answer as it was given last, with its links. */
  last?: { address: string; answer: Answer };
}

type Asked = Pick<ApiRequest<CallerBase, unknown, unknown>, 'baseUrl' | 'incoming'>;

/**
 * The answer with the page's links, which are written once for all who ask by the same address. Links repeat what was sent: a call
 * with a body of its own, or with a token in the address, is answered for itself.
 */
export function pageAnswerOf(page: WrittenPage, { baseUrl, incoming }: Asked, write: () => Answer): Answer {
  const { headers, url = '' } = incoming;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (hasBody || url.includes('token')) return write();
  const address = `${baseUrl} ${url}`;
  if (page.last?.address === address) return page.last.answer;
  const answer = write();
  page.last = { address, answer };
  return answer;
}

export const writePage = (items: unknown, count: number): WrittenPage => ({
  json: new WrittenJson(items),
  count,
});

/** A computation that several callers wait for; it ends early only when all of them are gone. */
interface Running {
  page: Promise<WrittenPage>;
  waiting: number;
  abort: AbortController;
}

// Some 4,000 pages of 20 commits.
const DEFAULT_BYTES = 48 * 1024 * 1024;

/**
 * Pages of history and of diffs, written once and then sent as they are. Their keys name everything that they are made of
 * (commit ids, parameters, the project's address), so a page is never wrong and nothing has to be invalidated. Callers who
 * ask for the same page at once share one git process.
 */
export class PageCache {
  readonly #pages: ObjectCache<WrittenPage>;
  readonly #running = new Map<string, Running>();

  constructor({ metrics, maxBytes = DEFAULT_BYTES }: { metrics: Metrics; maxBytes?: number }) {
    this.#pages = new ObjectCache('commit_pages', maxBytes, metrics, ({ json }) => json.text.length);
  }

  /** The page under `key`, computed if need be. The signal is the caller's own: his leaving does not disturb the others. */
  async get(
    repo: Repository,
    key: string,
    caller: { readonly signal: AbortSignal },
    compute: (signal: AbortSignal) => Promise<WrittenPage>,
  ): Promise<WrittenPage> {
    const known = this.#pages.get(repo, key);
    if (known) return known;
    const name = `${repo.relativePath} ${key}`;
    const running = this.#running.get(name) ?? this.#start(name, compute);
    const page = await this.#wait(name, running, caller.signal);
    this.#pages.set(repo, key, page);
    return page;
  }

  #start(name: string, compute: (signal: AbortSignal) => Promise<WrittenPage>): Running {
    const abort = new AbortController();
    const running = { page: compute(abort.signal), waiting: 0, abort };
    this.#running.set(name, running);
    return running;
  }

  async #wait(name: string, running: Running, signal: AbortSignal): Promise<WrittenPage> {
    running.waiting++;
    const gone = Promise.withResolvers<never>();
    const leave = () => gone.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await Promise.race([running.page, gone.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      running.waiting--;
      if (running.waiting === 0) {
        // First forgotten, then ended: nobody may join what is being given up.
        this.#running.delete(name);
        running.abort.abort(signal.reason);
      }
    }
  }
}
