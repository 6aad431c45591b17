import type { Actor } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { RefRules } from '../../core/repository/push-rules.ts';
import type { Target } from './request.ts';

/** Why this person may not begin pipelines at this branch or tag, in GitLab's words; null when he may. */
export async function refusalOfRef(
  core: Core,
  { project, ref, tag }: Pick<Target, 'project' | 'ref' | 'tag'>,
  actor: Actor,
): Promise<string | null> {
  const access = await core.access.project(actor, project);
  if (!access.can('update_build')) return 'Insufficient permissions to create a new pipeline';
  const rules = await RefRules.load({ core, project, access });
  return mayRunAt(rules, { ref, tag })
    ? null
    : `You do not have sufficient permission to run a pipeline on '${ref}'. Please select a different branch or contact your administrator for assistance.`;
}

/** The jobs of a protected ref get what is kept from others: who could not put a commit there may not run them either. */
export function mayRunAt(rules: RefRules, { ref, tag }: Pick<Target, 'ref' | 'tag'>): boolean {
  if (tag) {
    const verdict = rules.tag(ref);
    return !verdict.protected || verdict.mayCreate;
  }
  const verdict = rules.branch(ref);
  return !verdict.protected || verdict.mayPush || verdict.mayMerge;
}
