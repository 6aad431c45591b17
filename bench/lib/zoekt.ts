import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ingot.ts';

/** The script that builds and starts Zoekt. */
const SCRIPT = process.env['ZOEKT_SH'] ?? '';

export interface Zoekt {
  readonly buildSeconds: number;
  readonly bytes: number;
  readonly url: string;
  pid(): number;
  /** First 20 documents with what matched in them, as its web page asks for. */
  search(query: string): Promise<Buffer>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Indexes the repository and serves the index; null where `ZOEKT_SH` names no script. */
export async function startZoekt(repository: string): Promise<Zoekt | null> {
  if (!existsSync(SCRIPT)) return null;
  const dir = await mkdtemp(join(tmpdir(), 'zoekt-bench-'));
  const port = await freePort();
  await script(['build']);
  const { SECONDS, BYTES } = facts(await script(['index', dir, repository]));
  const start = async () => Number(facts(await script(['start', dir, String(port)]))['PID']);
  let pid = await start();
  const end = async () => {
    process.kill(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 500));
  };
  const url = `http://127.0.0.1:${port}/api/search`;
  return {
    buildSeconds: Number(SECONDS),
    bytes: Number(BYTES),
    url,
    pid: () => pid,
    search: (query) => post(url, queryBody(query)),
    async restart() {
      await end();
      pid = await start();
    },
    async stop() {
      await end();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** As its page and its clients ask: the lines that match, of 20 documents. */
export const queryBody = (query: string): string =>
  JSON.stringify({
    Q: `case:no ${query}`,
    Opts: { MaxDocDisplayCount: 20, ChunkMatches: true, NumContextLines: 2 },
  });

const facts = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key, value]));

/** It leaves a server behind that keeps its output open, so its end is told by the exit alone. */
function script(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.once('exit', (code) => {
      child.stdout.destroy();
      if (code === 0) resolve(out);
      else reject(new Error(`zoekt.sh ${args[0]} ended with ${code}`));
    });
  });
}

function post(url: string, body: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST' }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => {
        const text = Buffer.concat(chunks);
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`zoekt: ${answer.statusCode} ${text.toString()}`));
      });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}
