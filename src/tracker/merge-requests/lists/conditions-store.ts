import { type Expression, type SqlBool, sql } from 'kysely';

/** `none`, `any`, or the id of a user. */
export type PersonFilter = number | 'none' | 'any';

/** What `not` may turn round; all of them narrow. */
export interface Conditions {
  sourceBranch?: string | null | undefined;
  targetBranch?: string | null | undefined;
  authorId?: number | null | undefined;
  mergedById?: number | null | undefined;
  assignee?: PersonFilter | null | undefined;
  reviewer?: PersonFilter | null | undefined;
  /** All of them; one word `None` or `Any` in any letter case stands for having none or one at all. */
  labels?: readonly string[] | null | undefined;
  /** A title, or one of these two words. */
  milestone?: string | null | undefined;
  /** Given by this user: a name, or one of these two words. */
  reaction?: { name: string; userId: number } | null | undefined;
  /** By all of these users. */
  approvedBy?: readonly number[] | 'none' | 'any' | null | undefined;
}

type Condition = Expression<SqlBool>;

/** Each names a set that does not depend on the row, so that the database finds it once. */
export function conditionsOf(conditions: Conditions): Condition[] {
  const { assignee, reviewer, labels, milestone, reaction, approvedBy } = conditions;
  return [
    ...equal('source_branch', conditions.sourceBranch),
    ...equal('target_branch', conditions.targetBranch),
    ...equal('author_id', conditions.authorId),
    ...equal('merged_by_id', conditions.mergedById),
    ...(assignee == null ? [] : [withPerson('merge_request_assignees', assignee)]),
    ...(reviewer == null ? [] : [withPerson('merge_request_reviewers', reviewer)]),
    ...labelled(labels ?? []),
    ...(milestone ? [inMilestone(milestone)] : []),
    ...(reaction ? [reactedTo(reaction)] : []),
    ...approved(approvedBy),
  ];
}

/** `None` and `Any`, however they are written; null for a name. */
export function wildcard(text: string): 'none' | 'any' | null {
  const word = text.toLowerCase();
  return word === 'none' || word === 'any' ? word : null;
}

const id = sql.ref('merge_requests.id');
const column = (name: string) => sql.ref(`merge_requests.${name}`);

const equal = (name: string, value: string | number | null | undefined): Condition[] =>
  value == null ? [] : [sql<SqlBool>`${column(name)} = ${value}`];

function withPerson(table: string, person: PersonFilter): Condition {
  const any = sql`select merge_request_id from ${sql.table(table)}`;
  if (person === 'none') return sql<SqlBool>`${id} not in (${any})`;
  return person === 'any'
    ? sql<SqlBool>`${id} in (${any})`
    : sql<SqlBool>`${id} in (${any} where user_id = ${person})`;
}

function labelled(labels: readonly string[]): Condition[] {
  const any = sql`select merge_request_id from merge_request_labels`;
  const word = labels.length === 1 ? wildcard(labels[0]!) : null;
  if (word === 'none') return [sql<SqlBool>`${id} not in (${any})`];
  if (word === 'any') return [sql<SqlBool>`${id} in (${any})`];
  return labels.map(
    (name) =>
      sql<SqlBool>`${id} in (${any} where label_id in (select labels.id from labels where labels.name = ${name}))`,
  );
}

function inMilestone(title: string): Condition {
  const word = wildcard(title);
  if (word === 'none') return sql<SqlBool>`${column('milestone_id')} is null`;
  if (word === 'any') return sql<SqlBool>`${column('milestone_id')} is not null`;
  return sql<SqlBool>`${column('milestone_id')} in
    (select milestones.id from milestones where milestones.title = ${title})`;
}

function reactedTo({ name, userId }: { name: string; userId: number }): Condition {
  const mine = sql`select awardable_id from award_emoji
    where awardable_type = 'MergeRequest' and user_id = ${userId}`;
  const word = wildcard(name);
  if (word === 'none') return sql<SqlBool>`${id} not in (${mine})`;
  return word === 'any'
    ? sql<SqlBool>`${id} in (${mine})`
    : sql<SqlBool>`${id} in (${mine} and name = ${name})`;
}

function approved(by: Conditions['approvedBy']): Condition[] {
  const any = sql`select merge_request_id from merge_request_approvals`;
  if (by == null) return [];
  if (by === 'none') return [sql<SqlBool>`${id} not in (${any})`];
  if (by === 'any') return [sql<SqlBool>`${id} in (${any})`];
  return by.map((userId) => sql<SqlBool>`${id} in (${any} where user_id = ${userId})`);
}
