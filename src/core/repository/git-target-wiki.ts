import { ApiError } from '../../platform/errors.ts';
import type { Core } from '../core.ts';
import { ensureWiki, wikiOf, wikiRepositoryOf } from '../projects/wiki.ts';
import { BRANCHES } from './default-branch.ts';
import type { GitTarget, TargetOf } from './git-target.ts';
import { PUSH_TEXTS } from './push-rules.ts';
import { kindOfRef } from './ref-rules.ts';

/** A project's wiki: who may write pages may push, and nothing is protected. The first push makes the repository. */
export function wikiTarget(core: Core, { project, access }: TargetOf): GitTarget {
  const repository = wikiRepositoryOf(core, project);
  return {
    project,
    repository: wikiOf(project),
    address: `${project.full_path}.wiki.git`,
    jobsMayPush: false,
    async refusal(service) {
      const pushes = service === 'git-receive-pack';
      if (access.can(pushes ? 'create_wiki' : 'read_wiki')) return null;
      return pushes
        ? "You are not allowed to write to this project's wiki."
        : 'You are not allowed to download files from this wiki.';
    },
    async open(service) {
      if (service === 'git-receive-pack') await ensureWiki(core, project);
      else if (!(await repository.exists())) throw new ApiError('git_no_wiki');
    },
    async pushRules() {
      const home = BRANCHES + (await repository.head());
      return async ({ ref, new: target }) => {
        if (kindOfRef(ref).kind === 'internal') return PUSH_TEXTS.internal(ref);
        return ref === home && target === null ? PUSH_TEXTS.defaultDelete : null;
      };
    },
  };
}
