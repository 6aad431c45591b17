import type { FastifyInstance } from 'fastify';
import type { Log } from '../log.ts';

/** How often connections are looked for that have become idle since. */
const LOOK_MS = 50;

/** Takes no more connections and lets requests under way end; those that last longer than `limitMs` are cut off. */
export async function drain(
  server: FastifyInstance,
  { limitMs, log }: { limitMs: number; log: Log },
): Promise<void> {
  const { server: http } = server;
  // Kept alive, a connection that was busy when the server closed would hold it up for a minute after its last answer.
  const look = setInterval(() => http.closeIdleConnections(), LOOK_MS);
  const limit = setTimeout(() => {
    log.warn({ limitMs }, 'requests were still under way at the end and are cut off');
    http.closeAllConnections();
  }, limitMs);
  try {
    await server.close();
  } finally {
    clearInterval(look);
    clearTimeout(limit);
  }
}
