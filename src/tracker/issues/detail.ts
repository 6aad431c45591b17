import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { hasNoteBy } from '../notes/store.ts';
import type { IssueJson } from './entities.ts';
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
  const named = [row.author_id, ...basic!.assignees.map(({ id }) => id)];
  // who takes part hears of it
  const subscribed = named.includes(caller.user.id) || hasNoteBy(core.db, 'Issue', row.id, caller.user.id);
  return { ...basic!, subscribed: await subscribed };
}
