import { EMPTY_TREE } from './objects.ts';
import type { Repository } from './repository.ts';
import { TreeBytes, type TreeRow } from './tree-bytes.ts';
import { hashObject, type NewObject } from './write.ts';

const FOLDER = '40000';

/** A folder of a tree under change. It is read when a path leads through it, written when something below it changed. */
export class TreeNode {
  readonly #oid: string;
  readonly #folders = new Map<string, TreeNode>();
  readonly #changes = new Map<string, TreeRow | TreeNode | null>();
  #tree: TreeBytes | null = null;
  #size = 0;

  constructor(oid: string = EMPTY_TREE) {
    this.#oid = oid;
  }

  /** Before anything else is asked of it. */
  async load(repo: Repository, signal?: AbortSignal): Promise<void> {
    if (this.#tree) return;
    this.#tree = await TreeBytes.parse(await bytesOf(repo, this.#oid, signal));
    this.#size = this.#tree.size;
  }

  get(name: string): TreeRow | TreeNode | undefined {
    const key = keyOf(name);
    const changed = this.#changes.get(key);
    if (changed !== undefined) return changed ?? undefined;
    const row = this.#tree!.get(key);
    return row?.mode === FOLDER ? this.#folder(key, row.oid) : row;
  }

  set(name: string, entry: TreeRow | TreeNode): void {
    if (!this.get(name)) this.#size++;
    this.#changes.set(keyOf(name), entry);
  }

  delete(name: string): void {
    if (this.get(name)) this.#size--;
    this.#changes.set(keyOf(name), null);
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Puts the trees that changed into `into`, deepest first, and returns this one's id. */
  async save(into: NewObject[], pause: () => Promise<void> | undefined): Promise<string> {
    if (this.#changes.size === 0) return this.#oid;
    const rows: [string, TreeRow | null][] = [];
    for (const [key, entry] of this.#changes) {
      if (entry instanceof TreeNode) rows.push([key, { mode: FOLDER, oid: await entry.save(into, pause) }]);
      else rows.push([key, entry]);
    }
    await pause();
    const data = this.#tree!.with(rows);
    const oid = await hashObject({ type: 'tree', data });
    into.push({ type: 'tree', data, oid });
    return oid;
  }

  #folder(key: string, oid: string): TreeNode {
    const known = this.#folders.get(key);
    if (known) return known;
    const node = new TreeNode(oid);
    this.#folders.set(key, node);
    return node;
  }
}

/** One character for each byte, as TreeBytes has names. */
function keyOf(name: string): string {
  return Buffer.from(name).toString('latin1');
}

async function bytesOf(repo: Repository, oid: string, signal: AbortSignal | undefined): Promise<Buffer> {
  if (oid === EMPTY_TREE) return Buffer.alloc(0);
  const reply = await repo.git.batch.contents(repo, oid, { signal });
  if (reply?.type !== 'tree' || !reply.data) throw new Error(`no tree ${oid}`);
  return reply.data;
}
