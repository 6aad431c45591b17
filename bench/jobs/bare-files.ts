import { fork } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { fastify } from 'fastify';

/** The floor for files, in a process of its own: Fastify that appends a body to a file, bare Node that streams to and from the disk. */
export interface BareFiles {
  /** `PATCH /<name>` appends. */
  appendUrl: string;
  /** `POST /<name>` stores, `GET /<name>` sends. */
  streamUrl: string;
  stop(): void;
}

const SELF = fileURLToPath(import.meta.url);

export async function startBareFiles(): Promise<BareFiles> {
  const child = fork(SELF, ['serve']);
  const [appendUrl, streamUrl] = await new Promise<[string, string]>((resolve) =>
    child.once('message', (message) => resolve(message as [string, string])),
  );
  return { appendUrl, streamUrl, stop: () => void child.kill() };
}

if (process.argv[1] === SELF && process.argv[2] === 'serve') {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-bench-bare-'));
  process.on('SIGTERM', () => {
    rmSync(dir, { recursive: true, force: true });
    process.exit();
  });
  const server = fastify({ bodyLimit: 2 * 1024 * 1024 });
  server.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.patch<{ Params: { name: string } }>('/:name', async (request, reply) => {
    await appendFile(join(dir, request.params.name), request.body as Buffer);
    return reply.code(202).send();
  });
  const streams = createServer(async (request, response) => {
    const path = join(dir, String(request.url).slice(1));
    if (request.method === 'POST') {
      await pipeline(request, createWriteStream(path, { flush: true }));
      response.writeHead(201).end();
    } else {
      response.writeHead(200, { 'content-length': statSync(path).size });
      await pipeline(createReadStream(path), response);
    }
  });
  streams.listen(0, '127.0.0.1', async () => {
    const address = streams.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const appendUrl = await server.listen({ host: '127.0.0.1', port: 0 });
    process.send?.([appendUrl, `http://127.0.0.1:${port}`]);
  });
}
