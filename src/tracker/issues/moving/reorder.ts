import type { Core } from '../../../core/core.ts';
import { fail } from '../../../platform/errors.ts';
import { POSITION_GAP } from '../create.ts';
import { findIssueById, updateIssueRow } from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { neighbourPosition, spreadPositions } from './reorder-store.ts';

/** Between which two it is to stand, by their ids; one of them is enough. */
export interface Between {
  /** Comes before it. */
  beforeId?: number | null | undefined;
  /** Comes after it. */
  afterId?: number | null | undefined;
}

/** Moves an issue within the order that people gave the project's issues. Throws 404 for neighbours of other projects. */
export async function reorderIssue(core: Core, issue: IssueRow, between: Between): Promise<IssueRow> {
  return core.database.transaction(async (tx) => {
    const position = async (id: number | null | undefined) => {
      if (id == null) return null;
      const neighbour = await findIssueById(tx, id);
      if (neighbour?.project_id !== issue.project_id) throw fail.recordNotFound();
      return neighbour.relative_position;
    };
    const place = async () => {
      const [before, after] = [await position(between.beforeId), await position(between.afterId)];
      const low =
        before ?? (await neighbourPosition(tx, issue, 'below', after!)) ?? after! - 2 * POSITION_GAP;
      const next = await neighbourPosition(tx, issue, 'above', low);
      const high = after !== null && after > low ? after : (next ?? low + 2 * POSITION_GAP);
      const middle = Math.floor((low + high) / 2);
      return middle === low ? null : middle;
    };
    const found = (await place()) ?? (await spreadPositions(tx, issue.project_id, POSITION_GAP).then(place));
    const relative_position = found ?? issue.relative_position;
    const moved = await updateIssueRow(tx, issue.id, { relative_position, updated_at: core.clock.now() });
    if (!moved) throw fail.recordNotFound();
    return moved;
  });
}
