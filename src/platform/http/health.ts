import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.ts';

/** `/-/health`, `/-/liveness`, `/-/readiness` and `/-/metrics`: open to all, so that probes need no token. */
export function healthRoutes(
  server: FastifyInstance,
  { metrics, isReady }: { metrics: Metrics; isReady: () => Promise<boolean> },
): void {
  const at = (pattern: string) => ({ config: { pattern } });
  server.get('/-/health', at('/-/health'), async (_, reply) => reply.type('text/plain').send('GitLab OK'));
  server.get('/-/liveness', at('/-/liveness'), async () => ({ status: 'ok' }));
  server.get('/-/readiness', at('/-/readiness'), async (_, reply) => {
    const ready = await isReady();
    reply.code(ready ? 200 : 503);
    return { status: ready ? 'ok' : 'failed', master_check: [{ status: ready ? 'ok' : 'failed' }] };
  });
  server.get('/-/metrics', at('/-/metrics'), async (_, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}
