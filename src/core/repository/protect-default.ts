import type { Tx } from '../../platform/db/tables.ts';
import { defaultBranchRule } from '../settings/branch-protection.ts';
import { protectBranchIfNew } from './protection-store.ts';

/**
 * Gives a branch that becomes the default one the rule of `default_branch_protection` (`protection`, as it is set now),
 * unless it has a rule of its own.
 */
export async function protectDefaultBranch(
  tx: Tx,
  projectId: number,
  { name, protection, now }: { name: string; protection: number; now: number },
): Promise<void> {
  const rule = defaultBranchRule(protection);
  if (rule === null) return;
  await protectBranchIfNew(tx, { project_id: projectId, name, ...rule, created_at: now });
}
