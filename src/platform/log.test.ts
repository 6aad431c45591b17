import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';

const LOG = new URL('./log.ts', import.meta.url).href;

/** What a process prints that runs this with a log of its own. */
async function printed(script: string): Promise<Record<string, unknown>[]> {
  const source = `import { createLog, gatheredOutput } from '${LOG}';
    const log = createLog('info', gatheredOutput());
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('lines gathered for one write', () => {
  it('all come out, in order, when the process ends', async () => {
    const lines = await printed('for (let n = 0; n < 2000; n++) log.info({ n }, "line"); process.exit(0);');
    assert.deepEqual(
      lines.map(({ n }) => n),
      Array.from({ length: 2000 }, (_, n) => n),
    );
  });

  it('come out by themselves while the process lives on', async () => {
    const lines = await printed('log.info("alone"); setTimeout(() => process.kill(process.pid, 9), 1000);');
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['alone'],
    );
  });

  it('wait for nothing once something is wrong', async () => {
    const lines = await printed('log.info("daily"); log.warn("wrong"); process.kill(process.pid, 9);');
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        ['info', 'daily'],
        ['warn', 'wrong'],
      ],
    );
  });
});
