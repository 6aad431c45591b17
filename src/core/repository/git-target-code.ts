import { ApiError } from '../../platform/errors.ts';
import type { Core } from '../core.ts';
import { projectSettings } from '../projects/settings.ts';
import type { GitTarget, TargetOf } from './git-target.ts';
import { openBranches, RefRules, refusalOfPush } from './push-rules.ts';

/** A project's code: protected branches and tags, and branches that merge requests open to others. */
export function codeTarget(core: Core, { project, access }: TargetOf): GitTarget {
  const right = { core, project, access };
  return {
    project,
    repository: project,
    address: `${project.full_path}.git`,
    jobsMayPush: projectSettings(project).ci_push_repository_for_job_token_allowed,
    async refusal(service) {
      const pushes = service === 'git-receive-pack';
      if (access.can(pushes ? 'push_code' : 'read_code')) return null;
      if (!pushes) return 'You are not allowed to download code from this project.';
      // which of its branches is looked at when the refs are known
      if ((await openBranches(right)).size > 0) return null;
      return project.archived === 1
        ? 'You cannot push to this project: it is archived and read-only.'
        : 'You are not allowed to push code to this project.';
    },
    async open() {
      if (!(await core.repositoryOf(project).exists())) throw new ApiError('git_not_found');
    },
    async pushRules() {
      const rules = await RefRules.load(right);
      return (change, isForce) => refusalOfPush(rules, change, isForce);
    },
  };
}
