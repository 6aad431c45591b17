import type { Core } from '../core/core.ts';
import type { InProject } from '../core/guards.ts';
import { mayPushToBranch } from '../core/repository/push-rules.ts';
import { fail } from '../platform/errors.ts';

/** Asked before anything else that a write route looks at, so that its 403 tells nothing of what is there. */
export async function demandPush(core: Core, { project, access }: InProject, branch: string): Promise<void> {
  if (await mayPushToBranch({ core, project, access }, branch)) return;
  throw fail.forbidden('You are not allowed to push into this branch');
}
