import type { FastifyInstance } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';

declare module 'fastify' {
  interface FastifyInstance {
    /** Methods that some route answers at this address; empty where there is none. */
    methodsFor(url: string): string[];
  }
  interface FastifyContextConfig {
    /** `.json` after the address is Rails' wish for a format, and no part of a name. */
    takesFormat?: boolean;
  }
}

const METHODS: HTTPMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
const WITH_FORMAT = /^([^?]*)\.(?:json|txt)(\?.*)?$/s;

interface RouteFacts {
  takesFormat: boolean;
}

/** A second routing table of Fastify's own router, because only there it can be asked which routes an address has. */
export class RoutingTable {
  readonly #router;
  readonly #known = new Set<string>();

  constructor(options: { maxParamLength: number }) {
    this.#router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: options.maxParamLength });
  }

  /** Takes up every route that is added from now on. */
  follow(server: FastifyInstance): void {
    server.addHook('onRoute', ({ method: methods, url, config }) => {
      for (const method of [methods].flat() as HTTPMethod[]) {
        const key = `${method} ${url}`;
        if (!METHODS.includes(method) || this.#known.has(key)) continue;
        this.#known.add(key);
        const facts: RouteFacts = { takesFormat: config?.takesFormat === true };
        this.#router.on(method, url, () => undefined, facts);
      }
    });
    server.decorate('methodsFor', (url: string) =>
      METHODS.filter((method) => this.#router.find(method, url) !== null),
    );
  }

  /** The address without `.json` or `.txt` where those name a format: a file or a project may well be called so. */
  withoutFormat(url: string): string {
    const match = WITH_FORMAT.exec(url);
    if (match === null) return url;
    const plain = `${match[1]}${match[2] ?? ''}`;
    if (this.#at(url).some(({ takesFormat }) => !takesFormat)) return url;
    return this.#at(plain).some(({ takesFormat }) => takesFormat) ? plain : url;
  }

  #at(url: string): RouteFacts[] {
    return METHODS.flatMap((method) => {
      const found = this.#router.find(method, url);
      return found === null ? [] : [found.store as RouteFacts];
    });
  }
}
