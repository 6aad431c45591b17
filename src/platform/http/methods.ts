import type { FastifyInstance } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';

declare module 'fastify' {
  interface FastifyInstance {
    /** Methods that some route answers at this address; empty where there is none. */
    methodsFor(url: string): string[];
  }
}

const METHODS: HTTPMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/** Keeps a second routing table of Fastify's own router, which alone can be asked "which methods has this address". */
export function trackMethods(server: FastifyInstance, options: { maxParamLength: number }): void {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: options.maxParamLength });
  const known = new Set<string>();
  server.addHook('onRoute', (route) => {
    for (const method of [route.method].flat() as HTTPMethod[]) {
      const key = `${method} ${route.url}`;
      if (!METHODS.includes(method) || known.has(key)) continue;
      known.add(key);
      router.on(method, route.url, () => undefined);
    }
  });
  server.decorate('methodsFor', (url: string) =>
    METHODS.filter((method) => router.find(method, url) !== null),
  );
}
