import { mergedTips } from '../../git/merged.ts';
import { type Commit, readCommits } from '../../git/objects.ts';
import { type Ref, resolveRef } from '../../git/refs.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { Level } from '../access/levels.ts';
import type { Core } from '../core.ts';
import type { InProject } from '../guards.ts';
import { CommitBasic, presentCommit } from './commit-entity.ts';
import { BRANCHES } from './default-branch.ts';
import { RefRules } from './push-rules.ts';
import { ruleMatches } from './ref-rules.ts';

export const Branch = Type.Object(
  {
    name: Type.String(),
    commit: CommitBasic,
    merged: Type.Boolean(),
    protected: Type.Boolean(),
    developers_can_push: Type.Boolean(),
    developers_can_merge: Type.Boolean(),
    can_push: Type.Boolean(),
    default: Type.Boolean(),
    web_url: Type.String(),
  },
  { $id: 'Branch' },
);

type BranchJson = Static<typeof Branch>;

/** A page of branches. Needs no git process when nothing has changed since the last time. */
export async function presentBranches(
  core: Core,
  { project, access }: InProject,
  { refs, signal }: { refs: readonly Ref[]; signal: AbortSignal },
): Promise<BranchJson[]> {
  const repo = core.repositoryOf(project);
  const root =
    project.default_branch === null ? null : await resolveRef(repo, BRANCHES + project.default_branch);
  const [commits, merged, rules] = await Promise.all([
    readCommits(
      repo,
      refs.map((ref) => ref.oid),
      signal,
    ),
    root === null ? new Set<string>() : mergedTips(repo, refs, root, signal),
    RefRules.load({ core, project, access }),
  ]);
  const place = { project, baseUrl: core.baseUrl() };
  return refs.flatMap((ref, index) => {
    const commit = commits[index];
    // A ref to what is no commit is no branch; git itself makes none.
    if (!commit) return [];
    const isMerged = ref.oid !== root && merged.has(ref.oid);
    return [presentBranch(ref, { commit, isMerged, rules, place })];
  });
}

interface BranchFacts {
  commit: Commit;
  isMerged: boolean;
  rules: RefRules;
  place: { project: InProject['project']; baseUrl: string };
}

function presentBranch(ref: Ref, { commit, isMerged, rules, place }: BranchFacts): BranchJson {
  const name = ref.name.slice(BRANCHES.length);
  const verdict = rules.branch(name);
  const fitting = rules.branchRules.filter((rule) => ruleMatches(rule.name, name));
  return {
    name,
    commit: presentCommit(commit, place),
    merged: isMerged,
    protected: verdict.protected,
    developers_can_push: fitting.some((rule) => rule.push_access_level === Level.developer),
    developers_can_merge: fitting.some((rule) => rule.merge_access_level === Level.developer),
    can_push: verdict.mayPush,
    default: name === place.project.default_branch,
    web_url: `${place.baseUrl}/${place.project.full_path}/-/tree/${encodeURI(name)}`,
  };
}
