import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { NumberedNoteable } from '../notes/noteable.ts';
import type { NoteDeps } from '../notes/notes.ts';
import { systemNote } from '../notes/system-note.ts';
import { formatDuration } from './duration.ts';
import { insertTimelog, readEstimate, timeSpent, updateTimed } from './store.ts';
import type { TimedType } from './tables.ts';

/** What time is tracked on. */
export type Timed = NumberedNoteable & { type: TimedType };

type Deps = Pick<NoteDeps, 'database' | 'clock'>;

interface Deed {
  on: Timed;
  userId: number;
}

/** Sets the estimate; nought takes it away. Throws 404 when the thing is gone. */
export async function setEstimate(deps: Deps, { on, userId }: Deed, seconds: number): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const before = await readEstimate(tx, on.type, on.id);
    if (before === null) throw fail.recordNotFound();
    if (before === seconds) return;
    await touch(tx, deps, on, seconds);
    const human = formatDuration(seconds);
    const body = human === null ? 'removed time estimate' : `changed time estimate to ${human}`;
    await systemNote(tx, deps, { noteable: on, authorId: userId, body });
  });
}

/** Books time, or with less than nought takes some back. Throws 400 where that is more than was spent, 404 when the thing is gone. */
export async function addSpent(
  deps: Deps,
  { on, userId }: Deed,
  { seconds, summary }: { seconds: number; summary: string | null },
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await touch(tx, deps, on);
    const spent = await spentOn(tx, on);
    if (spent + seconds < 0) throw fail.invalid({ base: ['Time to subtract exceeds the total time spent'] });
    if (spent + seconds > MAX_TOTAL) throw fail.invalid({ base: ['Total time spent is too much'] });
    const deed = seconds < 0 ? 'subtracted' : 'added';
    const body = `${deed} ${formatDuration(Math.abs(seconds))} of time spent`;
    await book(tx, deps, { on, userId }, { seconds, summary, body });
  });
}

/** Takes back everything that was spent. */
export async function resetSpent(deps: Deps, { on, userId }: Deed): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await touch(tx, deps, on);
    const spent = await spentOn(tx, on);
    if (spent === 0) return;
    await book(tx, deps, { on, userId }, { seconds: -spent, summary: null, body: 'removed time spent' });
  });
}

/** Clients keep seconds in 32 bits. */
const MAX_TOTAL = 2 ** 31 - 1;

const spentOn = async (tx: Tx, { type, id }: Timed) => (await timeSpent(tx, type, [id])).get(id) ?? 0;

/** First of all in its transaction: the row is locked from then on, so that two who take back time at once do not both get it. */
async function touch(tx: Tx, { clock }: Deps, on: Timed, estimate?: number): Promise<void> {
  const changes = { updated_at: clock.now(), ...(estimate !== undefined && { time_estimate: estimate }) };
  if (!(await updateTimed(tx, on, changes))) throw fail.recordNotFound();
}

async function book(
  tx: Tx,
  deps: Deps,
  { on, userId }: Deed,
  { seconds, summary, body }: { seconds: number; summary: string | null; body: string },
): Promise<void> {
  const note = await systemNote(tx, deps, { noteable: on, authorId: userId, body });
  await insertTimelog(tx, {
    project_id: on.projectId,
    target_type: on.type,
    target_id: on.id,
    user_id: userId,
    note_id: note.id,
    time_spent: seconds,
    summary,
    spent_at: note.created_at,
    created_at: note.created_at,
  });
}
