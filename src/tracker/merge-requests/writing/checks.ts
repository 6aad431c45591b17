import type { Core } from '../../../core/core.ts';
import { type FieldErrors, fail } from '../../../platform/errors.ts';
import { type BranchPair, findOpenPair } from '../store.ts';
import { type Branches, readVersion, tipsOf, type Version } from '../versions/version.ts';

/** What opening and changing a merge request refuse alike. */

const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_048_576;

export function textProblems(input: {
  title?: string | null | undefined;
  description?: string | null | undefined;
}): FieldErrors {
  const errors: FieldErrors = {};
  if (input.title?.trim() === '') errors['title'] = ["can't be blank"];
  else if ((input.title?.length ?? 0) > MAX_TITLE)
    errors['title'] = [`is too long (maximum is ${MAX_TITLE} characters)`];
  if ((input.description?.length ?? 0) > MAX_DESCRIPTION)
    errors['description'] = [`is too long (maximum is ${MAX_DESCRIPTION} characters)`];
  return errors;
}

/** Both branches must be there; what else is wrong with the record is said in the same breath. */
export async function versionFor(core: Core, branches: Branches, problems: FieldErrors): Promise<Version> {
  const { sourceTip, targetTip } = await tipsOf(core, branches);
  const missing = ['does not exist'];
  const errors: FieldErrors = {
    ...problems,
    ...(sourceTip === null && { source_branch: missing }),
    ...(targetTip === null && { target_branch: missing }),
  };
  if (sourceTip === null || targetTip === null || Object.keys(errors).length > 0) throw fail.invalid(errors);
  return readVersion(core, branches, { sourceTip, targetTip });
}

export const pairOf = ({ source, target }: Branches): BranchPair => ({
  projectId: target.project.id,
  sourceProjectId: source.project.id,
  sourceBranch: source.branch,
  targetBranch: target.branch,
});

export async function refuseSecond(core: Core, pair: BranchPair): Promise<void> {
  const other = await findOpenPair(core.db, pair);
  if (!other) return;
  throw fail.conflict([`Another open merge request already exists for this source branch: !${other.iid}`]);
}
