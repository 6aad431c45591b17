import type { GitService } from '../../git/http/protocol.ts';
import type { ProjectAccess } from '../access/access.ts';
import type { Visitor } from '../caller.ts';
import type { Core } from '../core.ts';
import { findProject, type ProjectWithNamespace } from '../projects/find.ts';
import { codeTarget } from './git-target-code.ts';
import { wikiTarget } from './git-target-wiki.ts';
import type { RefChange } from './push-rules.ts';
import type { RefProject } from './ref-updates.ts';

/** A repository as git clients reach it: who may fetch and push, and what a push may change there. */
export interface GitTarget {
  project: ProjectWithNamespace;
  repository: RefProject;
  /** Where it is now, `group/project.git`. */
  address: string;
  /** Whether jobs of this very project may push with their token. */
  jobsMayPush: boolean;
  /** Why the caller may not fetch or push at all, in words for him; null where he may. */
  refusal(service: GitService): Promise<string | null>;
  /** Makes sure that there is something to serve; a push may make it. Throws the 404 where there is nothing. */
  open(service: GitService): Promise<void>;
  /** The rules of one push. */
  pushRules(): Promise<PushRules>;
}

/** Why a change may not be made, in words for the client; null where it may. `isForce` is costly and asked only where it counts. */
export type PushRules = (
  change: RefChange,
  isForce: (change: RefChange) => Promise<boolean>,
) => Promise<string | null>;

export interface TargetOf {
  project: ProjectWithNamespace;
  access: ProjectAccess;
}

export interface FoundTarget {
  target: GitTarget;
  /** The path asked for, when the project has another one by now. */
  movedFrom: string | null;
}

const WIKI = '.wiki';

/**
 * What lies at a path without its `.git`; null for what is not there or not to be known of. A project that is called
 * `x.wiki` comes before the wiki of `x`, as on GitLab.
 */
export async function findTarget(core: Core, caller: Visitor, path: string): Promise<FoundTarget | null> {
  if (!path.includes('/')) return null;
  const own = await findVisible(core, caller, path);
  if (own) return { target: codeTarget(core, own), movedFrom: own.moved ? path : null };
  if (!path.endsWith(WIKI)) return null;
  const above = await findVisible(core, caller, path.slice(0, -WIKI.length));
  return above && { target: wikiTarget(core, above), movedFrom: above.moved ? path : null };
}

async function findVisible(
  core: Core,
  caller: Visitor,
  path: string,
): Promise<(TargetOf & { moved: boolean }) | null> {
  const found = await findProject(core.db, path);
  if (!found) return null;
  const access = await core.access.project(caller, found.project);
  return access.visible ? { ...found, access } : null;
}
