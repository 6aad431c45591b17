import { sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import './tables.ts';

/** What can be subscribed to by itself. Labels have their own functions below. */
export interface Subscribable {
  type: 'Issue' | 'MergeRequest' | 'Snippet';
  id: number;
}

const COLUMNS = { Issue: 'issue_id', MergeRequest: 'merge_request_id', Snippet: 'snippet_id' } as const;

const NOTHING = {
  issue_id: null,
  merge_request_id: null,
  snippet_id: null,
  label_id: null,
  project_id: null,
};

/** Throws ForeignKeyViolation when the thing or the user is gone. */
export async function setSubscription(
  tx: Tx,
  userId: number,
  { type, id }: Subscribable,
  { subscribed, now }: { subscribed: boolean; now: number },
): Promise<void> {
  const column = COLUMNS[type];
  const said = { subscribed: Number(subscribed), updated_at: now };
  await tx
    .insertInto('subscriptions')
    .values({ ...NOTHING, user_id: userId, [column]: id, ...said })
    .onConflict((conflict) => conflict.columns([column, 'user_id']).doUpdateSet(said))
    .execute();
}

/** What a user has said about it; null when he never did. */
export async function subscriptionOf(
  db: Queryable,
  userId: number,
  { type, id }: Subscribable,
): Promise<boolean | null> {
  const row = await db
    .selectFrom('subscriptions')
    .select('subscribed')
    .where(COLUMNS[type], '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row ? row.subscribed === 1 : null;
}

/** Everybody who has said something about it. */
export async function subscriptionsOn(
  db: Queryable,
  { type, id }: Subscribable,
): Promise<{ on: number[]; off: number[] }> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(['user_id', 'subscribed'])
    .where(COLUMNS[type], '=', id)
    .orderBy('user_id')
    .execute();
  const ids = (subscribed: number) =>
    rows.flatMap((row) => (row.subscribed === subscribed ? row.user_id : []));
  return { on: ids(1), off: ids(0) };
}

/** A label in one project, or (null) wherever it is used. */
export interface LabelUse {
  labelId: number;
  projectId: number | null;
}

export async function setLabelSubscription(
  tx: Tx,
  userId: number,
  { labelId, projectId }: LabelUse,
  { subscribed, now }: { subscribed: boolean; now: number },
): Promise<void> {
  const said = { subscribed: Number(subscribed), updated_at: now };
  await tx
    .insertInto('subscriptions')
    .values({ ...NOTHING, user_id: userId, label_id: labelId, project_id: projectId, ...said })
    .onConflict((conflict) =>
      projectId === null
        ? conflict.columns(['label_id', 'user_id']).where('project_id', 'is', null).doUpdateSet(said)
        : conflict.columns(['label_id', 'project_id', 'user_id']).doUpdateSet(said),
    )
    .execute();
}

/** Takes back what a user has said about a label: for the project and for everywhere; without a project, for all projects too. */
export async function endLabelSubscriptions(
  tx: Tx,
  userId: number,
  { labelId, projectId }: LabelUse,
): Promise<void> {
  await tx
    .deleteFrom('subscriptions')
    .where('label_id', '=', labelId)
    .where('user_id', '=', userId)
    .$if(projectId !== null, (query) =>
      query.where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)])),
    )
    .execute();
}

/** Which of these labels a user has subscribed to, in the project or everywhere. */
export async function labelsSubscribedBy(
  db: Queryable,
  userId: number,
  labelIds: readonly number[],
  projectId: number | null,
): Promise<Set<number>> {
  if (labelIds.length === 0) return new Set();
  const rows = await onLabels(db, labelIds, projectId)
    .select('label_id')
    .where('user_id', '=', userId)
    .execute();
  return new Set(rows.flatMap(({ label_id: id }) => id ?? []));
}

/** Who has subscribed to one of these labels, for the project or for wherever they are used; each once. */
export async function labelSubscribers(
  db: Queryable,
  labelIds: readonly number[],
  projectId: number,
): Promise<number[]> {
  if (labelIds.length === 0) return [];
  const rows = await onLabels(db, labelIds, projectId)
    .select('user_id')
    .distinct()
    .orderBy('user_id')
    .execute();
  return rows.map(({ user_id: id }) => id);
}

const onLabels = (db: Queryable, labelIds: readonly number[], projectId: number | null) =>
  db
    .selectFrom('subscriptions')
    .where('label_id', 'in', labelIds)
    .where('subscribed', '=', 1)
    .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]));

/** Who had subscribed to one of these labels in a project has subscribed there to the one that takes their place. */
export async function carrySubscriptions(
  tx: Tx,
  { from, to, projectId }: { from: readonly number[]; to: number; projectId?: number },
): Promise<void> {
  const within = projectId === undefined ? sql`project_id is not null` : sql`project_id = ${projectId}`;
  await sql`insert into subscriptions (user_id, label_id, project_id, subscribed, updated_at)
    select user_id, cast(${to} as bigint), project_id, 1, max(updated_at) from subscriptions
    where label_id in (${sql.join(from)}) and subscribed = 1 and ${within} group by user_id, project_id
    on conflict do nothing`.execute(tx);
}
