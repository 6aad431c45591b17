import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../commits.ts';
import { freePort } from '../lib/ingot.ts';
import { git, ms, paired, type Row, times } from '../lib/measure.ts';

/** 50 MB that do not compress, cloned over our HTTP and over `git daemon` from the very same repository. */
export async function cloneRow({ ingot, source }: Bench): Promise<Row[]> {
  const folder = join(source, '..', 'fifty');
  await mkdir(folder);
  await git(folder, 'init', '-q', '-b', 'main');
  for (let i = 0; i < 50; i++) await writeFile(join(folder, `file-${i}`), randomBytes(1024 * 1024));
  await git(folder, 'add', '.');
  await git(folder, '-c', 'user.name=b', '-c', 'user.email=b@example.com', 'commit', '-q', '-m', 'all');
  const project = await ingot.api<{ id: number }>('POST', '/projects', { name: 'fifty' });
  await git(folder, 'push', '-q', ingot.gitUrl('root/fifty'), 'main');
  await ingot.settled();
  const port = await freePort();
  const base = join(ingot.dataDir, 'repositories');
  const daemon = spawn(
    'git',
    [
      'daemon',
      '--export-all',
      `--base-path=${base}`,
      '--listen=127.0.0.1',
      `--port=${port}`,
      '--reuseaddr',
      base,
    ],
    { stdio: 'ignore' },
  );
  const target = join(source, '..', 'clone');
  const clone = async (from: string) => {
    await git('/', 'clone', '-q', '--bare', from, target);
    await rm(target, { recursive: true });
  };
  const path = await ingot.storagePath(project.id);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { a, b, ratio } = await paired(
    15,
    () => clone(ingot.gitUrl('root/fifty')),
    () => clone(`git://127.0.0.1:${port}/${path}`),
  );
  daemon.kill();
  return [
    {
      what: 'clone of 50 MB over HTTP',
      ours: ms(a),
      theirs: `${ms(b)} (git daemon)`,
      ratio: times(ratio),
      goal: 'within 1.15x',
      met: ratio <= 1.15,
    },
  ];
}
