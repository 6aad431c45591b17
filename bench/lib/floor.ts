import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fastify } from 'fastify';

/** The floor: a bare Fastify route that sends given bytes as JSON, in a process of its own like the service. */
export interface Floor {
  /** Address of a route that answers with these bytes. */
  serve(bytes: Buffer): Promise<string>;
  stop(): void;
}

const SELF = fileURLToPath(import.meta.url);

export async function startFloor(): Promise<Floor> {
  const child = fork(SELF, ['serve'], { serialization: 'advanced' });
  const answer = () =>
    new Promise<string>((resolve) => child.once('message', (text) => resolve(String(text))));
  const base = await answer();
  return {
    async serve(bytes) {
      child.send(bytes);
      return `${base}/${await answer()}`;
    },
    stop: () => void child.kill(),
  };
}

if (process.argv[1] === SELF && process.argv[2] === 'serve') {
  const payloads: Buffer[] = [];
  const server = fastify();
  server.get<{ Params: { number: string } }>('/:number', async (request, reply) => {
    const payload = payloads[Number(request.params.number)];
    return reply.header('content-type', 'application/json').send(payload);
  });
  process.on('message', (bytes: Uint8Array) => process.send?.(String(payloads.push(Buffer.from(bytes)) - 1)));
  process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
}
