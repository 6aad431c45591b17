import { isValidBranchName, isValidRefName } from '../../git/ref-name.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { ProjectAccess } from '../access/access.ts';
import { Level } from '../access/levels.ts';
import type { Core } from '../core.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';
import { firstPushLevel, Protection } from '../settings/branch-protection.ts';
import type { ProtectedBranch, ProtectedTag } from '../tables.ts';
import { BRANCHES } from './default-branch.ts';
import { protectedBranches, protectedTags } from './protection-store.ts';
import {
  type BranchVerdict,
  judgeBranch,
  judgeTag,
  kindOfRef,
  readsAsCommitId,
  type TagVerdict,
} from './ref-rules.ts';

/** GitLab's words to git clients (they put `GitLab: ` before them). */
export const PUSH_TEXTS = {
  push: 'You are not allowed to push code to this project.',
  protectedPush: 'You are not allowed to push code to protected branches on this project.',
  protectedCreate: 'You are not allowed to create protected branches on this project.',
  protectedForce: 'You are not allowed to force push code to a protected branch on this project.',
  protectedDelete: 'You can only delete protected branches using the web interface.',
  protectedDeleteNotAllowed:
    'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
  defaultDelete: 'The default branch of a project cannot be deleted.',
  branchName: 'You cannot create a branch with an invalid name.',
  hexName: 'You cannot create a branch with a 40-character hexadecimal branch name.',
  tagChange: 'You are not allowed to change existing tags on this project.',
  tagUpdate: 'Protected tags cannot be updated.',
  tagDelete: 'You can only delete protected tags using the web interface.',
  tagDeleteNotAllowed:
    'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.',
  tagCreate: 'You are not allowed to create this tag as it is protected.',
  tagName: 'You cannot create a tag with an invalid name.',
  internal: (ref: string) => `The ref ${JSON.stringify(ref)} is kept by the service and cannot be pushed.`,
} as const;

export interface RefRight {
  core: Pick<Core, 'db' | 'repositoryOf' | 'collaboration' | 'settings'>;
  project: ProjectWithNamespace;
  access: ProjectAccess;
}

/** What the caller may do with one branch. */
export async function branchRights(right: RefRight, branch: string): Promise<BranchVerdict> {
  const rules = await RefRules.load(right);
  return rules.branch(branch);
}

/** Whether the caller may put a commit on the branch: 403 `You are not allowed to push into this branch` where not. */
export async function mayPushToBranch(right: RefRight, branch: string): Promise<boolean> {
  return (await branchRights(right, branch)).mayPush;
}

/** Branches that merge requests open to the caller. Asked only where he may not push as it is, which is rare. */
export async function openBranches({ core, project, access }: RefRight): Promise<ReadonlySet<string>> {
  const { caller } = access;
  if (caller === null || access.can('push_code') || !access.can('push_as_collaborator')) return new Set();
  return core.collaboration.openBranches(project, caller);
}

/** The rules of one project for one caller, read once and asked for many refs. */
export class RefRules {
  readonly branchRules: readonly ProtectedBranch[];
  readonly tagRules: readonly ProtectedTag[];
  readonly #right: RefRight;
  readonly #isEmpty: boolean;
  readonly #protection: number;
  readonly #open: ReadonlySet<string>;

  private constructor(
    right: RefRight,
    rules: {
      branches: ProtectedBranch[];
      tags: ProtectedTag[];
      isEmpty: boolean;
      protection: number;
      open: ReadonlySet<string>;
    },
  ) {
    this.#right = right;
    this.branchRules = rules.branches;
    this.tagRules = rules.tags;
    this.#isEmpty = rules.isEmpty;
    this.#protection = rules.protection;
    this.#open = rules.open;
  }

  static async load(right: RefRight): Promise<RefRules> {
    const { core, project } = right;
    const [branches, tags, isEmpty, open, protection] = await Promise.all([
      protectedBranches(core.db, project.id),
      protectedTags(core.db, project.id),
      isEmptyRepository(core.repositoryOf(project)),
      openBranches(right),
      core.settings.get('default_branch_protection'),
    ]);
    return new RefRules(right, { branches, tags, isEmpty, protection, open });
  }

  /** The right to push at all, whatever the ref. */
  get mayPush(): boolean {
    return this.#right.access.can('push_code');
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** The first branch of a repository becomes the default one, which GitLab protects: it is for maintainers, as a rule. */
  branch(name: string): BranchVerdict {
    const { access } = this.#right;
    const canPush = this.mayPush || this.#open.has(name);
    const verdict = judgeBranch(this.branchRules, name, { level: access.level, canPush });
    // a branch that is open to him for changes is still not his to delete
    if (!this.mayPush) return { ...verdict, mayDelete: false };
    const isFirst = this.#isEmpty && !verdict.protected;
    if (!isFirst || this.#protection === Protection.none) return verdict;
    const may = access.level >= firstPushLevel(this.#protection);
    const mayDelete = access.level >= Level.maintainer;
    return { protected: true, mayPush: may, mayMerge: may, mayForcePush: false, mayDelete };
  }

  tag(name: string): TagVerdict {
    const { access } = this.#right;
    return judgeTag(this.tagRules, name, { level: access.level, canCreate: access.can('create_tag') });
  }

  isDefault(branch: string): boolean {
    return branch === this.#right.project.default_branch;
  }
}

async function isEmptyRepository(repo: Repository): Promise<boolean> {
  return (await listRefs(repo, BRANCHES)).length === 0;
}

export interface RefChange {
  ref: string;
  old: string | null;
  new: string | null;
}

/** Why the caller may not make this change by `git push`, in GitLab's words; null when he may. */
export async function refusalOfPush(
  rules: RefRules,
  change: RefChange,
  isForce: (change: RefChange) => Promise<boolean>,
): Promise<string | null> {
  const { kind, name } = kindOfRef(change.ref);
  switch (kind) {
    case 'branch':
      return refusalOfBranch(rules, name, change, isForce);
    case 'tag':
      return refusalOfTag(rules, name, change);
    case 'note':
      return rules.mayPush && isValidRefName(change.ref) ? null : PUSH_TEXTS.push;
    case 'internal':
      return PUSH_TEXTS.internal(change.ref);
  }
}

async function refusalOfBranch(
  rules: RefRules,
  name: string,
  change: RefChange,
  isForce: (change: RefChange) => Promise<boolean>,
): Promise<string | null> {
  const rights = rules.branch(name);
  if (change.new === null) {
    if (rules.isDefault(name)) return PUSH_TEXTS.defaultDelete;
    if (rights.protected)
      return rights.mayDelete ? PUSH_TEXTS.protectedDelete : PUSH_TEXTS.protectedDeleteNotAllowed;
    return rights.mayDelete ? null : PUSH_TEXTS.push;
  }
  if (change.old === null) {
    if (readsAsCommitId(name)) return PUSH_TEXTS.hexName;
    if (!isValidBranchName(name)) return PUSH_TEXTS.branchName;
  }
  if (!rights.protected) return rights.mayPush ? null : PUSH_TEXTS.push;
  // In this order GitLab asks: a force push is refused as such even to those who may push.
  if (change.old !== null && !rights.mayForcePush && (await isForce(change)))
    return PUSH_TEXTS.protectedForce;
  return rights.mayPush ? null : PUSH_TEXTS.protectedPush;
}

function refusalOfTag(rules: RefRules, name: string, change: RefChange): string | null {
  const rights = rules.tag(name);
  if (change.old === null) {
    if (!isValidRefName(change.ref) || name.startsWith('-')) return PUSH_TEXTS.tagName;
    if (rights.mayCreate) return null;
    return rights.protected ? PUSH_TEXTS.tagCreate : PUSH_TEXTS.push;
  }
  if (!rights.protected) return rights.mayCreate ? null : PUSH_TEXTS.tagChange;
  if (change.new !== null) return PUSH_TEXTS.tagUpdate;
  return rights.mayDelete ? PUSH_TEXTS.tagDelete : PUSH_TEXTS.tagDeleteNotAllowed;
}
