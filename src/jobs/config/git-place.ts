import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../../core/tables.ts';
import type { ConfigPlace } from './source.ts';

/** A commit of a project as a place of configurations: reads over git, other projects by the rights of the user. */
export function gitPlace(
  _core: Core,
  _of: { project: Project; fullPath: string; sha: string; user: Caller; signal?: AbortSignal },
): ConfigPlace {
  throw new Error('being written');
}
