import type { JobConfig, Policy } from '../config.ts';
import { type Patterns, patternIn } from '../expression/pattern.ts';
import type { PlanContext } from '../plan.ts';
import type { Scope } from './evaluation.ts';

/** GitLab's `only` of a job that says nothing. */
export const DEFAULT_REFS = ['branches', 'tags'];

/** What refs of `only` and `except` are compared with. */
export interface RefFacts {
  context: PlanContext;
  patterns: Patterns;
  /** Whether the file decides by `workflow:rules`: then jobs that say nothing are in every pipeline. */
  hasWorkflowRules: boolean;
}

/** Whether `only` and `except` let a job into the pipeline. */
export async function admits(
  { only, except }: Pick<JobConfig, 'only' | 'except'>,
  scope: Scope,
  facts: RefFacts,
): Promise<boolean> {
  return (await isWanted(only, scope, facts)) && !(except && (await isUnwanted(except, scope, facts)));
}

/** All that is said must hold; of each, one of the list. */
async function isWanted(only: Policy | null, scope: Scope, facts: RefFacts): Promise<boolean> {
  if (!only) return facts.hasWorkflowRules || matchesRefs(DEFAULT_REFS, facts);
  if (only.kubernetes || !matchesRefs(only.refs ?? DEFAULT_REFS, facts)) return false;
  if (only.variables && !only.variables.some(({ condition }) => scope.holds(condition))) return false;
  return !only.changes || scope.changed(only.changes);
}

/** Anything that is said keeps the job out. */
async function isUnwanted(except: Policy, scope: Scope, facts: RefFacts): Promise<boolean> {
  if (matchesRefs(except.refs ?? [], facts)) return true;
  if (except.variables?.some(({ condition }) => scope.holds(condition))) return true;
  return except.changes !== null && scope.changed(except.changes);
}

const matchesRefs = (refs: readonly string[], facts: RefFacts): boolean =>
  refs.some((ref) => matchesRef(ref, facts));

/** `name`, `/pattern/` or a keyword, each with `@group/project` for forks to leave out. */
function matchesRef(written: string, { context, patterns }: RefFacts): boolean {
  const cut = written.lastIndexOf('@');
  const isOfProject = cut > 0 && written.includes('/', cut);
  const name = isOfProject ? written.slice(0, cut) : written;
  const { variables } = context;
  if (isOfProject && written.slice(cut + 1) !== variables.get('CI_PROJECT_PATH')) return false;
  if (keywordsOf(context).includes(name)) return true;
  const ref = variables.get('CI_COMMIT_REF_NAME') ?? context.ref;
  const pattern = name.startsWith('/') ? patternIn(name) : null;
  return pattern ? patterns.matches(pattern, ref) : name === ref;
}

function keywordsOf({ source, tag, mergeRequest }: PlanContext): string[] {
  const kind = mergeRequest ? 'merge_requests' : tag ? 'tags' : 'branches';
  const origin = source.replace(/_event$/, '');
  return [kind, origin, origin === 'push' ? 'pushes' : `${origin}s`];
}
