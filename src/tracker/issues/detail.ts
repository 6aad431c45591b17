import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { hasNoteBy } from '../notes/store.ts';
import { subscriptionOf } from '../subscriptions/store.ts';
import type { IssueJson } from './entities.ts';
import { isAssignee } from './people-store.ts';
import { presentIssues } from './present.ts';
import type { IssueRow } from './tables.ts';

/** One issue as it is read and changed. */
export async function presentDetail(
  core: Pick<Core, 'db' | 'baseUrl' | 'access'>,
  row: IssueRow,
  caller: Caller,
): Promise<IssueJson> {
  const options = { baseUrl: core.baseUrl(), today: core.access.today(), inProject: true };
  const [basic] = await presentIssues(core.db, [row], options);
  return { ...basic!, subscribed: await hearsOfIssue(core, row, caller.user.id) };
}

/** Who takes part hears of it, unless he has said otherwise. */
export async function hearsOfIssue(
  { db }: Pick<Core, 'db'>,
  row: IssueRow,
  userId: number,
): Promise<boolean> {
  const said = await subscriptionOf(db, userId, { type: 'Issue', id: row.id });
  if (said !== null) return said;
  if (row.author_id === userId || (await isAssignee(db, row.id, userId))) return true;
  return hasNoteBy(db, 'Issue', row.id, userId);
}
