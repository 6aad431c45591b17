import type { Core } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { RefRules } from '../../core/repository/push-rules.ts';
import { fail } from '../../platform/errors.ts';
import { mayRunAt } from '../creation/rights.ts';
import type { JobRow } from '../tables.ts';

/**
 * Throws 403 unless the caller may begin and end this job. What runs for a protected branch or tag gets what is kept from others:
 * it is for those who could put a commit there.
 */
export async function demandJobRight(
  core: Core,
  { project, access }: InProject,
  job: Pick<JobRow, 'ref' | 'tag' | 'protected'>,
): Promise<void> {
  access.demand('update_build');
  if (job.protected === 0) return;
  const rules = await RefRules.load({ core, project, access });
  if (!mayRunAt(rules, { ref: job.ref, tag: job.tag === 1 })) throw fail.forbidden();
}

/** Maintainers erase any job; developers their own, where the branch or tag is not protected. */
export function demandEraseRight(
  { access }: InProject,
  job: Pick<JobRow, 'user_id' | 'protected'>,
  userId: number,
): void {
  if (access.can('admin_build')) return;
  const own = job.user_id === userId && job.protected === 0;
  if (!own || !access.can('update_build')) throw fail.forbidden();
}
