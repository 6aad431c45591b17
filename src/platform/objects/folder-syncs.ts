import { open } from 'node:fs/promises';

interface Syncing {
  current: Promise<void>;
  /** Begins when that has ended, for all who have come meanwhile. */
  next: Promise<void> | null;
}

/** Makes what is in folders last. Who comes while a folder is being synced shares one more sync with all others who do. */
export class FolderSyncs {
  readonly #folders = new Map<string, Syncing>();

  /** Resolves when every name that the folder had at the call is on the disk. */
  sync(path: string): Promise<void> {
    const known = this.#folders.get(path);
    if (!known) return this.#begin(path);
    known.next ??= known.current.then(
      () => this.#begin(path),
      () => this.#begin(path),
    );
    return known.next;
  }

  #begin(path: string): Promise<void> {
    const syncing: Syncing = { current: syncFolder(path), next: null };
    this.#folders.set(path, syncing);
    const forget = () => {
      if (syncing.next === null) this.#folders.delete(path);
    };
    syncing.current.then(forget, forget);
    return syncing.current;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
