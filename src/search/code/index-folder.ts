import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolderInUse, lockDataFolder } from '../../platform/db/data-folder.ts';

/** The folder of one process's index. All of it can be deleted while that process does not run. */
export interface IndexFolder {
  /** For the index itself. */
  index: string;
  /** For `ingot index`, see progress-report.ts. */
  progress: string;
  /** Deletes all that is kept in it. */
  clear(): void;
  release(): void;
}

const LOCK = 'ingot.lock';

/** Processes on one data folder, as PostgreSQL allows, that have an index of their own; one more has none. */
const MAX_PROCESSES = 64;

/** Null when other processes hold them all. */
export function claimIndexFolder(dataDir: string): IndexFolder | null {
  for (let number = 1; number <= MAX_PROCESSES; number++) {
    const folder = claim(dataDir, number);
    if (folder) return folder;
  }
  return null;
}

/** The one that a lone process has; null when such a process runs. */
export const claimFirstIndexFolder = (dataDir: string): IndexFolder | null => claim(dataDir, 1);

export const progressFile = (dataDir: string, number = 1): string =>
  join(folderOf(dataDir, number), 'progress.json');

const folderOf = (dataDir: string, number: number): string => join(dataDir, 'code-index', String(number));

function claim(dataDir: string, number: number): IndexFolder | null {
  const folder = folderOf(dataDir, number);
  mkdirSync(folder, { recursive: true });
  try {
    const { release } = lockDataFolder(folder);
    const clear = () => {
      for (const name of readdirSync(folder)) {
        if (name !== LOCK) rmSync(join(folder, name), { recursive: true, force: true });
      }
    };
    return { index: join(folder, 'index'), progress: progressFile(dataDir, number), clear, release };
  } catch (error) {
    if (error instanceof DataFolderInUse) return null;
    throw error;
  }
}
