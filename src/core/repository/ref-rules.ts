import { Level } from '../access/levels.ts';
import type { ProtectedBranch, ProtectedTag } from '../tables.ts';

/** Which branches and tags of a project are protected, and from whom. Pure: rows in, verdicts out. */

export interface BranchRule {
  name: string;
  push_access_level: number;
  merge_access_level: number;
  allow_force_push: number;
}

export interface TagRule {
  name: string;
  create_access_level: number;
}

export interface BranchVerdict {
  protected: boolean;
  mayPush: boolean;
  mayMerge: boolean;
  mayForcePush: boolean;
  /** Over the API and in pages; `git push` deletes no protected branch at all. */
  mayDelete: boolean;
}

/** Level that "nobody" is stored as: not even an administrator passes it. */
const NOBODY = 0;

export const reaches = (level: number, required: number): boolean => required !== NOBODY && level >= required;

/** Whether `name` is the rule's own name or fits its pattern, where `*` stands for any text, slashes too. */
export function ruleMatches(rule: string, name: string): boolean {
  if (!rule.includes('*')) return rule === name;
  return fits(rule.split('*'), name);
}

/** Piece by piece rather than by a regular expression: the pattern is a user's, and may not cost more than its length. */
function fits(pieces: string[], name: string): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) {
    return false;
  }
  let at = first.length;
  const end = name.length - last.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return at <= end;
}

/** Where several rules fit one branch, the most permissive wins, as in GitLab. `canPush` is the right to push at all. */
export function judgeBranch(
  rules: readonly BranchRule[],
  branch: string,
  { level, canPush }: { level: number; canPush: boolean },
): BranchVerdict {
  const fitting = rules.filter((rule) => ruleMatches(rule.name, branch));
  if (fitting.length === 0) {
    return {
      protected: false,
      mayPush: canPush,
      mayMerge: canPush,
      mayForcePush: canPush,
      mayDelete: canPush,
    };
  }
  const mayPush = canPush && fitting.some((rule) => reaches(level, rule.push_access_level));
  return {
    protected: true,
    mayPush,
    mayMerge: canPush && fitting.some((rule) => reaches(level, rule.merge_access_level)),
    mayForcePush: mayPush && fitting.some((rule) => rule.allow_force_push === 1),
    mayDelete: canPush && level >= Level.maintainer,
  };
}

export interface TagVerdict {
  protected: boolean;
  mayCreate: boolean;
  /** Over the API and in pages; `git push` deletes no protected tag at all. */
  mayDelete: boolean;
}

export function judgeTag(
  rules: readonly TagRule[],
  tag: string,
  { level, canCreate }: { level: number; canCreate: boolean },
): TagVerdict {
  const fitting = rules.filter((rule) => ruleMatches(rule.name, tag));
  if (fitting.length === 0) return { protected: false, mayCreate: canCreate, mayDelete: canCreate };
  const reached = fitting.some((rule) => reaches(level, rule.create_access_level));
  const mayDelete = canCreate && level >= Level.maintainer;
  return { protected: true, mayCreate: canCreate && reached, mayDelete };
}

export const isProtectedBranch = (rules: readonly ProtectedBranch[], branch: string): boolean =>
  rules.some((rule) => ruleMatches(rule.name, branch));

export const isProtectedTag = (rules: readonly ProtectedTag[], tag: string): boolean =>
  rules.some((rule) => ruleMatches(rule.name, tag));

/** Would be taken for a commit's id wherever one is looked for. */
export const readsAsCommitId = (branch: string): boolean => /^[0-9a-f]{40}$/.test(branch);

export type RefKind =
  | { kind: 'branch'; name: string }
  | { kind: 'tag'; name: string }
  /** `refs/notes/*`: git's own place for notes, pushed by release tools. */
  | { kind: 'note'; name: string }
  /** What the service keeps for itself: never pushed. */
  | { kind: 'internal'; name: string };

export function kindOfRef(ref: string): RefKind {
  const match = /^refs\/(heads|tags|notes)\/(.+)$/s.exec(ref);
  if (!match) return { kind: 'internal', name: ref };
  const kind = ({ heads: 'branch', tags: 'tag', notes: 'note' } as const)[match[1] as 'heads'];
  return { kind, name: match[2]! };
}
