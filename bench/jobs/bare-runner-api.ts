import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fastify } from 'fastify';

/** The floor for runners, in a process of its own: Fastify that only accepts what they send, and answers as much. */
export interface BareRunnerApi {
  url: string;
  stop(): void;
}

const SELF = fileURLToPath(import.meta.url);

/** `payload` is what a job looks like. */
export async function startBareRunnerApi(payload: Buffer): Promise<BareRunnerApi> {
  const child = fork(SELF, ['serve'], { serialization: 'advanced' });
  child.send(payload);
  const url = await new Promise<string>((resolve) => child.once('message', (text) => resolve(String(text))));
  return { url, stop: () => void child.kill() };
}

async function serve(payload: Buffer): Promise<string> {
  const server = fastify({ bodyLimit: 2 * 1024 * 1024 });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    server.getDefaultJsonParser('error', 'error'),
  );
  server.post('/jobs/request', (_request, reply) =>
    reply.code(201).header('content-type', 'application/json').send(payload),
  );
  server.put('/jobs/:id', (_request, reply) => reply.code(200).send('200'));
  server.patch('/jobs/:id/trace', (_request, reply) => reply.code(202).send());
  server.post('/jobs/:id/artifacts', (_request, reply) => reply.code(201).send());
  return server.listen({ host: '127.0.0.1', port: 0 });
}

if (process.argv[1] === SELF && process.argv[2] === 'serve') {
  process.once('message', async (bytes: Uint8Array) => process.send?.(await serve(Buffer.from(bytes))));
}
