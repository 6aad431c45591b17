import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Two processes on one SQLite folder would each think that they are the only writer, dispatcher and job scheduler. */
export class DataFolderInUse extends Error {
  constructor(dir: string, cause: unknown) {
    super(
      `another Ingot process is using the data folder ${dir}. Stop it first, or choose another folder with --data. ` +
        'Several processes at once need PostgreSQL (DATABASE_URL).',
      { cause },
    );
    this.name = 'DataFolderInUse';
  }
}

/**
 * Claims the folder for this process with SQLite's own exclusive lock on a file of its own: the system drops it with the
 * process, however that ends, so that nothing stale can stay behind as it would with a file holding a process id.
 */
export function lockDataFolder(dir: string): { release(): void } {
  const database = new DatabaseSync(join(dir, 'ingot.lock'));
  try {
    database.exec('pragma busy_timeout = 0');
    // Nothing is ever written here; without this SQLite would make and sync a journal file.
    database.exec('pragma journal_mode = memory');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    throw new DataFolderInUse(dir, error);
  }
  return { release: () => database.close() };
}
