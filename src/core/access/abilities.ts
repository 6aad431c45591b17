import type { Visibility } from '../tables.ts';
import { Level } from './levels.ts';

/**
 * Who may do what in a project and a group: one row an ability, to be held against GitLab's permission table.
 * `member` is the least level that a member needs; `everyone` says whether a signed-in user who is no member may do it
 * where visibility lets him see the project; `feature` is the switch that can take it away from everybody below.
 */

export type Feature = 'repository' | 'issues' | 'merge_requests' | 'builds' | 'wiki' | 'snippets' | 'forking';

interface Row {
  member: number;
  everyone: boolean;
  feature?: Feature;
  /** Archived projects are read-only: rows marked so are refused there, whoever asks. */
  writes?: true;
}

const row = (member: number, options: Omit<Row, 'member' | 'everyone'> & { everyone?: true } = {}): Row => ({
  member,
  ...options,
  everyone: options.everyone ?? false,
});

export const projectAbilities = {
  read_project: row(Level.guest, { everyone: true }),
  read_members: row(Level.guest, { everyone: true }),
  // code
  read_repository: row(Level.guest, { everyone: true, feature: 'repository' }),
  read_code: row(Level.reporter, { everyone: true, feature: 'repository' }),
  push_code: row(Level.developer, { feature: 'repository', writes: true }),
  /** To a branch that an open merge request offers to him: the grant itself is asked of `core.collaboration`. */
  push_as_collaborator: row(Level.reporter, { everyone: true, feature: 'repository', writes: true }),
  create_tag: row(Level.developer, { feature: 'repository', writes: true }),
  manage_protected_refs: row(Level.maintainer, { feature: 'repository', writes: true }),
  comment_on_commit: row(Level.guest, { everyone: true, feature: 'repository', writes: true }),
  fork_project: row(Level.reporter, { everyone: true, feature: 'forking' }),
  // tracker
  read_issue: row(Level.guest, { everyone: true, feature: 'issues' }),
  create_issue: row(Level.guest, { everyone: true, feature: 'issues', writes: true }),
  read_confidential_issue: row(Level.planner, { feature: 'issues' }),
  update_issue: row(Level.planner, { feature: 'issues', writes: true }),
  delete_issue: row(Level.owner, { feature: 'issues', writes: true }),
  read_merge_request: row(Level.reporter, { everyone: true, feature: 'merge_requests' }),
  create_merge_request: row(Level.developer, { feature: 'merge_requests', writes: true }),
  update_merge_request: row(Level.developer, { feature: 'merge_requests', writes: true }),
  create_note: row(Level.guest, { everyone: true, writes: true }),
  /** Notes that only the team sees: to read them and to write them. */
  read_internal_note: row(Level.planner),
  admin_note: row(Level.maintainer, { writes: true }),
  resolve_note: row(Level.developer, { writes: true }),
  award_emoji: row(Level.guest, { everyone: true, writes: true }),
  read_snippet: row(Level.guest, { everyone: true, feature: 'snippets' }),
  create_snippet: row(Level.reporter, { feature: 'snippets', writes: true }),
  update_own_snippet: row(Level.guest, { everyone: true, feature: 'snippets', writes: true }),
  admin_snippet: row(Level.maintainer, { feature: 'snippets', writes: true }),
  read_wiki: row(Level.guest, { everyone: true, feature: 'wiki' }),
  create_wiki: row(Level.developer, { feature: 'wiki', writes: true }),
  read_milestone: row(Level.guest, { everyone: true }),
  admin_milestone: row(Level.planner, { writes: true }),
  read_label: row(Level.guest, { everyone: true }),
  admin_label: row(Level.planner, { writes: true }),
  // CI
  read_build: row(Level.guest, { everyone: true, feature: 'builds' }),
  read_pipeline: row(Level.guest, { everyone: true, feature: 'builds' }),
  read_commit_status: row(Level.reporter, { everyone: true, feature: 'repository' }),
  create_commit_status: row(Level.developer, { feature: 'repository', writes: true }),
  update_build: row(Level.developer, { feature: 'builds', writes: true }),
  admin_build: row(Level.maintainer, { feature: 'builds', writes: true }),
  // the project itself
  admin_project: row(Level.maintainer),
  admin_members: row(Level.maintainer),
  archive_project: row(Level.owner),
  rename_project: row(Level.maintainer),
  change_visibility: row(Level.owner),
  transfer_project: row(Level.owner),
  remove_project: row(Level.owner),
} as const satisfies Record<string, Row>;

export type ProjectAbility = keyof typeof projectAbilities;

export const groupAbilities = {
  read_group: row(Level.guest, { everyone: true }),
  read_members: row(Level.guest, { everyone: true }),
  create_projects: row(Level.developer),
  create_subgroup: row(Level.maintainer),
  admin_milestone: row(Level.planner),
  admin_label: row(Level.planner),
  admin_group: row(Level.owner),
  admin_members: row(Level.owner),
  remove_group: row(Level.owner),
} as const satisfies Record<string, Row>;

export type GroupAbility = keyof typeof groupAbilities;

/** How far a feature of a project is open, GitLab's words. */
export type FeatureAccess = 'disabled' | 'private' | 'enabled' | 'public';

export interface Standing {
  /** Effective level: the highest of all memberships; `Level.admin` for administrators. */
  level: number;
  visibility: Visibility;
  /** An external user sees internal things only as a member. */
  external: boolean;
  signedIn: boolean;
}

export const isMember = (standing: Standing) => standing.level >= Level.guest;

/** Whether it exists at all for this caller. */
export function maySee({ level, visibility, external, signedIn }: Standing): boolean {
  if (level >= Level.guest || visibility === 'public') return true;
  return visibility === 'internal' && signedIn && !external;
}

export interface ProjectFacts {
  archived: boolean;
  featureAccess: (feature: Feature) => FeatureAccess;
  /** GitLab's `public_jobs`: whether those who merely see the project may see its jobs. */
  publicJobs: boolean;
}

export function mayInProject(ability: ProjectAbility, standing: Standing, facts: ProjectFacts): boolean {
  const rule: Row = projectAbilities[ability];
  if (!maySee(standing) || (rule.writes && facts.archived)) return false;
  if (rule.writes && !standing.signedIn) return false;
  if (rule.feature && !featureIsOpen(facts.featureAccess(rule.feature), standing)) return false;
  if (standing.level >= rule.member) return seesJobs(ability, standing, facts);
  const open = standing.visibility === 'public' || (standing.visibility === 'internal' && !standing.external);
  return rule.everyone && open && seesJobs(ability, standing, facts);
}

function featureIsOpen(access: FeatureAccess, standing: Standing): boolean {
  if (access === 'disabled') return false;
  return access !== 'private' || isMember(standing);
}

const ABOUT_JOBS: ReadonlySet<ProjectAbility> = new Set([
  'read_build',
  'read_pipeline',
  'read_commit_status',
]);

/**
 * With `public_jobs` off, jobs, pipelines and statuses are for reporters and up. Statuses come from other systems too, so a
 * project that has switched its own CI off still has them; where CI is for members only, they are.
 */
function seesJobs(ability: ProjectAbility, standing: Standing, facts: ProjectFacts): boolean {
  if (!ABOUT_JOBS.has(ability) || standing.level >= Level.reporter) return true;
  return facts.publicJobs && (facts.featureAccess('builds') !== 'private' || isMember(standing));
}

export function mayInGroup(ability: GroupAbility, standing: Standing): boolean {
  const rule: Row = groupAbilities[ability];
  return maySee(standing) && (standing.level >= rule.member || rule.everyone);
}
