import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Those that still run: what a test that failed has left behind ends with the tests of its file, which would wait for it for ever. */
const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill('SIGKILL');
});

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export const PROCESS_TOKEN = 'glpat-token-of-processes';

export interface ServiceProcess {
  child: ChildProcess;
  url: string;
  /** Calls `/api/v4` + path as the first administrator; the body is sent and read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>;
  /** Everything that it printed so far. */
  output(): string;
  /** Resolves when it has ended, to its exit code; null when a signal ended it. */
  ended(): Promise<number | null>;
  /** As the system kills it. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** The service as a process of its own, as an operator starts it; for tests of what ends with the process. */
export async function startProcess(options: {
  dataDir: string;
  databaseUrl?: string | undefined;
  env?: Record<string, string>;
}): Promise<ServiceProcess> {
  const port = await freePort();
  const args = [MAIN, 'serve', '--data', options.dataDir, '--port', String(port), '--no-demo'];
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      INGOT_ROOT_TOKEN: PROCESS_TOKEN,
      INGOT_LOG_LEVEL: 'error',
      ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let printed = '';
  for (const stream of [child.stdout, child.stderr] as Readable[]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const url = `http://127.0.0.1:${port}`;
  const started = { child, url, output: () => printed, ended: () => exit };
  await untilReady(started);
  return { ...started, api: (...call) => callApi(url, ...call), kill: () => kill(child, exit) };
}

async function callApi(url: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'private-token': PROCESS_TOKEN, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function kill(child: ChildProcess, exit: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL');
  await exit;
}

async function untilReady({ child, url, output }: Pick<ServiceProcess, 'child' | 'url' | 'output'>) {
  for (;;) {
    assert.equal(child.exitCode, null, `the service ended by itself: ${output()}`);
    const ready = await fetch(`${url}/-/readiness`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
