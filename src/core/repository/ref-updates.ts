import type { RefUpdate } from '../../git/ref-update.ts';
import type { CoreDeps } from '../core.ts';
import type { Project } from '../tables.ts';

/** Who moved a ref and how; part of the event, so that rooms can tell a push from a cherry-pick. */
export interface RefOrigin {
  userId: number | null;
  via: 'push' | 'api' | 'import';
  pushOptions?: string[];
}

export declare class RefUpdates {
  constructor(deps: CoreDeps);
  /** All or nothing, each compared with its old value; one `ref.moved` event for each, in this order. */
  update(project: Project, updates: RefUpdate[], origin: RefOrigin): Promise<void>;
  /** At start: turns what a killed process left half-done into events, or drops it. */
  recover(): Promise<void>;
}
