import type { Core } from '../core/core.ts';
import type { Project } from '../core/tables.ts';
export async function mergedBy(
  _core: Core,
  _project: Project,
  _oid: string,
): Promise<{ iid: number } | null> {
  return null;
}
