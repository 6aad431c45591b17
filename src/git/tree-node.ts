import { EMPTY_TREE, readTree } from './objects.ts';
import type { Repository } from './repository.ts';
import { hashObject, type NewObject, treeBytes } from './write.ts';

/** A file, link or submodule. */
export interface Leaf {
  mode: string;
  oid: string;
}

/** A folder of a tree under change. It is read when a path leads through it, written when something below it changed. */
export class TreeNode {
  #oid: string;
  /** By name, one character for each byte, so that names in any encoding stay as they are. */
  #entries: Map<string, Leaf | TreeNode> | null = null;
  #changed = false;

  constructor(oid: string = EMPTY_TREE) {
    this.#oid = oid;
  }

  async load(repo: Repository, signal?: AbortSignal): Promise<void> {
    if (this.#entries) return;
    const entries = await readTree(repo, this.#oid, signal);
    if (!entries) throw new Error(`no tree ${this.#oid}`);
    this.#entries = new Map(
      entries.map(({ rawName, type, mode, oid }) => [
        rawName.toString('latin1'),
        type === 'tree' ? new TreeNode(oid) : { mode, oid },
      ]),
    );
  }

  get(name: string): Leaf | TreeNode | undefined {
    return this.#entries!.get(key(name));
  }

  set(name: string, entry: Leaf | TreeNode): void {
    this.#entries!.set(key(name), entry);
    this.#changed = true;
  }

  delete(name: string): void {
    this.#entries!.delete(key(name));
    this.#changed = true;
  }

  get isEmpty(): boolean {
    return this.#entries !== null && this.#entries.size === 0;
  }

  /** Something below it changed, so its id will. */
  touch(): void {
    this.#changed = true;
  }

  /** Puts the trees that changed into `into`, deepest first, and returns this one's id. */
  async save(into: NewObject[]): Promise<string> {
    if (!this.#changed) return this.#oid;
    const rows = [];
    for (const [name, entry] of this.#entries!) {
      const leaf = entry instanceof TreeNode ? { mode: '40000', oid: await entry.save(into) } : entry;
      rows.push({ ...leaf, name: Buffer.from(name, 'latin1') });
    }
    const object: NewObject = { type: 'tree', data: treeBytes(rows) };
    this.#oid = await hashObject(object);
    this.#changed = false;
    into.push(object);
    return this.#oid;
  }
}

function key(name: string): string {
  return Buffer.from(name).toString('latin1');
}
