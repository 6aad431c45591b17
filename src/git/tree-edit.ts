import { EMPTY_TREE } from './objects.ts';
import { TreeEditError, treePath } from './path-rules.ts';
import { pauses } from './pause.ts';
import type { Repository } from './repository.ts';
import type { TreeRow } from './tree-bytes.ts';
import { TreeNode } from './tree-node.ts';
import { hashObject, type NewObject, writeObjects } from './write.ts';

export { TreeEditError };

export type TreeAction =
  | { action: 'create'; path: string; content: Buffer; executable?: boolean }
  | { action: 'update'; path: string; content: Buffer }
  | { action: 'move'; path: string; previousPath: string; content?: Buffer | undefined }
  | { action: 'delete'; path: string }
  | { action: 'chmod'; path: string; executable: boolean };

const EXISTS = 'A file with this name already exists';
const MISSING = "A file with this name doesn't exist";
const FOLDER_EXISTS = 'A directory with this name already exists';
const SUBMODULE = '160000';

/**
 * Applies the actions in order to a tree (null: none yet) and returns the id of the new one. Nothing is written unless all
 * succeed; a refusal is a TreeEditError in GitLab's words. Only folders on the way are read, only changed ones written.
 */
export async function editTree(
  repo: Repository,
  baseTree: string | null,
  actions: TreeAction[],
  signal?: AbortSignal,
): Promise<string> {
  const edit = new TreeEdit(repo, baseTree, signal);
  const pause = pauses();
  for (const action of actions) {
    await pause();
    await edit.apply(action);
  }
  return edit.write();
}

interface Place {
  /** Root first; the last holds the name. */
  folders: TreeNode[];
  names: string[];
  name: string;
}

class TreeEdit {
  readonly #repo: Repository;
  readonly #root: TreeNode;
  readonly #signal: AbortSignal | undefined;
  readonly #blobs: NewObject[] = [];

  constructor(repo: Repository, baseTree: string | null, signal: AbortSignal | undefined) {
    this.#repo = repo;
    this.#root = new TreeNode(baseTree ?? undefined);
    this.#signal = signal;
  }

  async apply(action: TreeAction): Promise<void> {
    switch (action.action) {
      case 'create': {
        const blob = await this.#blob(action.content);
        return this.#create(action.path, { mode: action.executable ? '100755' : '100644', oid: blob });
      }
      case 'update': {
        const { place, leaf } = await this.#file(action.path);
        if (leaf.mode === SUBMODULE) throw new TreeEditError(MISSING);
        return put(place, { ...leaf, oid: await this.#blob(action.content) });
      }
      case 'move':
        return this.#move(action.previousPath, action.path, action.content);
      case 'delete':
        return remove((await this.#file(action.path)).place);
      case 'chmod': {
        const { place, leaf } = await this.#file(action.path);
        // a link or a submodule has no permission to change; another mode would make it something else
        if (!leaf.mode.startsWith('100')) throw new TreeEditError(MISSING);
        return put(place, { ...leaf, mode: action.executable ? '100755' : '100644' });
      }
    }
  }

  async write(): Promise<string> {
    await this.#root.load(this.#repo, this.#signal);
    const trees: NewObject[] = [];
    const oid = await this.#root.save(trees, pauses());
    if (oid === EMPTY_TREE && trees.length === 0) trees.push({ type: 'tree', data: Buffer.alloc(0) });
    await writeObjects(this.#repo, [...this.#blobs, ...trees], this.#signal);
    return oid;
  }

  async #create(path: string, leaf: TreeRow): Promise<void> {
    const place = await this.#locate(path, true);
    if (!place) throw new TreeEditError(EXISTS); // below something that is a file
    assertFree(place);
    put(place, leaf);
  }

  async #move(from: string, to: string, content: Buffer | undefined): Promise<void> {
    const { place, leaf } = await this.#file(from);
    if (content && leaf.mode === SUBMODULE) throw new TreeEditError(MISSING);
    const moved = content ? { ...leaf, oid: await this.#blob(content) } : leaf;
    const target = await this.#locate(to, true);
    if (!target) throw new TreeEditError(EXISTS);
    assertFree(target);
    put(target, moved);
    remove(place);
  }

  async #file(path: string): Promise<{ place: Place; leaf: TreeRow }> {
    const place = await this.#locate(path, false);
    const leaf = place && place.folders.at(-1)!.get(place.name);
    if (!leaf || leaf instanceof TreeNode) throw new TreeEditError(MISSING);
    return { place, leaf };
  }

  /** Null when a file is in the way or, unless `make`, when a folder is missing. */
  async #locate(path: string, make: boolean): Promise<Place | null> {
    const names = treePath(path);
    const folders = [this.#root];
    await this.#root.load(this.#repo, this.#signal);
    for (const name of names.slice(0, -1)) {
      const entry = folders.at(-1)!.get(name) ?? (make ? new TreeNode() : undefined);
      if (!(entry instanceof TreeNode)) return null;
      await entry.load(this.#repo, this.#signal);
      folders.push(entry);
    }
    return { folders, names, name: names.at(-1)! };
  }

  async #blob(data: Buffer): Promise<string> {
    const oid = await hashObject({ type: 'blob', data });
    this.#blobs.push({ type: 'blob', data, oid });
    return oid;
  }
}

function assertFree({ folders, name }: Place): void {
  const there = folders.at(-1)!.get(name);
  // Replacing a whole folder by a file of its name would lose what nobody named.
  if (there instanceof TreeNode) throw new TreeEditError(FOLDER_EXISTS);
  if (there) throw new TreeEditError(EXISTS);
}

function put({ folders, names, name }: Place, leaf: TreeRow): void {
  for (let at = folders.length - 1; at > 0; at--) folders[at - 1]!.set(names[at - 1]!, folders[at]!);
  folders.at(-1)!.set(name, leaf);
}

/** Folders that have become empty go too: git has no empty folders. */
function remove({ folders, names, name }: Place): void {
  folders.at(-1)!.delete(name);
  for (let at = folders.length - 1; at > 0; at--) {
    if (folders[at]!.isEmpty) folders[at - 1]!.delete(names[at - 1]!);
    else folders[at - 1]!.set(names[at - 1]!, folders[at]!);
  }
}
