import type { GitConfig } from '../environment.ts';

/** Refs that the service keeps for itself, as prefixes. GitLab's own split: what CI fetches can be read, nothing of it can be pushed. */
export interface InternalRefs {
  /** Neither advertised nor fetched by name. */
  hidden: readonly string[];
  /** Fetched (`refs/merge-requests/1/head`), never pushed. */
  readOnly: readonly string[];
}

export const INTERNAL_REFS: InternalRefs = {
  hidden: ['refs/keep-around', 'refs/tmp'],
  readOnly: ['refs/merge-requests', 'refs/pipelines', 'refs/environments'],
};

/** Nothing here turns off bitmaps or pack reuse: a clone of a packed repository is copied from disk. */
export function uploadPackConfig(refs: InternalRefs): GitConfig {
  return {
    'uploadpack.allowFilter': 'true',
    // CI fetches the commit of a pipeline though its branch may have moved on.
    'uploadpack.allowAnySHA1InWant': 'true',
    'uploadpack.hideRefs': refs.hidden,
  };
}

export interface ReceivePackSettings {
  hooksDirectory: string;
  /** Flush what a push brings to the disk before its refs may move. */
  fsync: boolean;
  /** Largest pack, in bytes. */
  maxPackBytes?: number | undefined;
}

export function receivePackConfig(refs: InternalRefs, settings: ReceivePackSettings): GitConfig {
  return {
    'core.hooksPath': settings.hooksDirectory,
    // Every ref is moved by the service, none by receive-pack.
    'receive.procReceiveRefs': 'refs/',
    'receive.hideRefs': [...refs.hidden, ...refs.readOnly],
    'receive.advertiseAtomic': 'true',
    'receive.advertisePushOptions': 'true',
    'receive.autogc': 'false',
    'receive.denyCurrentBranch': 'ignore',
    'receive.denyDeleteCurrent': 'ignore',
    'receive.fsckObjects': 'true',
    // Harmless slips of old git clients that sit in the history of well-known projects; GitLab lets the same ones pass.
    'receive.fsck.badFilemode': 'ignore',
    'receive.fsck.badTimezone': 'ignore',
    'receive.fsck.missingSpaceBeforeDate': 'ignore',
    'receive.fsck.zeroPaddedFilemode': 'ignore',
    'transfer.unpackLimit': '100',
    // Git alone would leave the loose objects of a small push to the operating system. `batch` flushes them together.
    'core.fsync': settings.fsync ? 'committed' : 'none',
    'core.fsyncMethod': 'batch',
    ...(settings.maxPackBytes !== undefined && { 'receive.maxInputSize': String(settings.maxPackBytes) }),
  };
}
