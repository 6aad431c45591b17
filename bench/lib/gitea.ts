import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ingot.ts';

/** The script that builds and starts Gitea. */
const SCRIPT = process.env['GITEA_SH'] ?? '';

export interface Gitea {
  url: string;
  pid: number;
  startMs: number;
  headers: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts Gitea with these repositories pushed to `bar/NAME`; null where `GITEA_SH` names no script. */
export async function startGitea(repositories: Record<string, string>): Promise<Gitea | null> {
  if (!existsSync(SCRIPT)) return null;
  const dir = await mkdtemp(join(tmpdir(), 'gitea-bench-'));
  const port = await freePort();
  const args = [SCRIPT, 'start', dir, String(port)];
  for (const [name, path] of Object.entries(repositories)) args.push(`${name}=${path}`);
  const out = await finished(args);
  const { PID, BOOT_MS, TOKEN } = Object.fromEntries(
    [...out.matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key, value]),
  ) as Record<string, string>;
  return {
    url: `http://127.0.0.1:${port}`,
    pid: Number(PID),
    startMs: Number(BOOT_MS),
    headers: { authorization: `token ${TOKEN}` },
    async stop() {
      process.kill(Number(PID), 'SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The script leaves a server behind that keeps its output open, so its end is told by the exit alone. */
function finished(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.once('exit', (code) => {
      child.stdout.destroy();
      if (code === 0) resolve(out);
      else reject(new Error(`gitea.sh ended with ${code}`));
    });
  });
}
