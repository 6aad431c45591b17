import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.ts';
import { createLog } from './platform/log.ts';
import { claimFirstIndexFolder, progressFile } from './search/code/index-folder.ts';
import { ProgressLine } from './search/code/progress-line.ts';
import type { SearchStatus } from './search/code/status.ts';
import { openService } from './service.ts';

/** What keeps the command from its work, as a sentence for the operator. */
export class CannotIndex extends Error {
  override name = 'CannotIndex';
}

export interface IndexCommand {
  /** Begins with an empty index. */
  rebuild: boolean;
  out: NodeJS.WriteStream;
  /** Ends the work early; what is indexed by then stays. */
  signal: AbortSignal;
}

const SHOW_EVERY_MS = 250;

/**
 * Indexes the code of a data folder; when a service runs on it, which has the index, shows how far that is. Resolves to whether
 * everything is indexed. Throws CannotIndex.
 */
export async function runIndexCommand(config: Config, command: IndexCommand): Promise<boolean> {
  if (!config.codeIndex) throw new CannotIndex('INGOT_CODE_INDEX is off');
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'ingot.db'))) {
    throw new CannotIndex(`there is no data in ${config.dataDir}`);
  }
  const folder = claimFirstIndexFolder(config.dataDir);
  if (command.rebuild) folder?.clear();
  folder?.release();
  if (folder) return build(config, command);
  if (command.rebuild)
    throw new CannotIndex('a service is running on this data folder: stop it to rebuild its index');
  return follow(config, command);
}

async function build(config: Config, { out, signal }: IndexCommand): Promise<boolean> {
  const service = await openService({ ...config, log: createLog('silent') });
  const { codeSearch } = service;
  const line = new ProgressLine(out);
  try {
    await codeSearch.start();
    const done = codeSearch.idle().then(() => true);
    while (!signal.aborted && !(await Promise.race([done, sleep(SHOW_EVERY_MS, false)]))) {
      line.show(codeSearch.status());
    }
    return line.end(codeSearch.status());
  } finally {
    await service.close();
  }
}

async function follow({ dataDir }: Config, { out, signal }: IndexCommand): Promise<boolean> {
  const line = new ProgressLine(out);
  for (;;) {
    const status = read(progressFile(dataDir));
    // A service that has had nothing to index yet has written nothing down.
    if (!status || status.state === 'idle' || signal.aborted) return line.end(status);
    line.show(status);
    await sleep(SHOW_EVERY_MS);
  }
}

function read(file: string): SearchStatus | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SearchStatus) : null;
}
