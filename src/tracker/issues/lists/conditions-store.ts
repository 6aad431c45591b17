import { type Expression, type SqlBool, sql } from 'kysely';
import type { Viewer } from '../../../core/access/store.ts';
import { belowSet } from '../../../core/groups/store.ts';
import { containsText } from '../../../platform/db/like.ts';
import type { IssueState, IssueType } from '../tables.ts';
import { openOrOwnIssues, readableIssues } from '../visible-store.ts';
import { type DueFilter, dueCondition } from './due.ts';

/** `none`, `any`, or the id of a user. */
export type PersonFilter = number | 'none' | 'any';

/** Milestones by when they are, or by title. */
export type MilestoneFilter = 'none' | 'any' | 'upcoming' | 'started' | { title: string };

/** A reaction of one person: by name, or none or any at all. */
export interface ReactionFilter {
  userId: number;
  emoji: string;
}

/** What can be asked for and asked against. */
export interface IssueTraits {
  iids?: readonly number[] | null | undefined;
  authorId?: number | null | undefined;
  assignee?: PersonFilter | null | undefined;
  /** All of them; one that is `None` or `Any` stands for having none or one at all. */
  labels?: readonly string[] | null | undefined;
  milestone?: MilestoneFilter | null | undefined;
  reaction?: ReactionFilter | null | undefined;
}

/** All of them narrow; what is absent or null does not. Times in ms, both ends included. */
export interface IssueFilter extends IssueTraits {
  /** One project, whose rights were asked already, or all that the viewer may read, in a group and below it. */
  place:
    | { projectId: number; confidential: 'all' | { of: number | null } }
    | { viewer: Viewer; groupId?: number; archived?: boolean };
  /** For milestones and due dates that go by it, `YYYY-MM-DD`. */
  today: string;
  not?: IssueTraits | undefined;
  state?: IssueState | null | undefined;
  types?: readonly IssueType[] | null | undefined;
  confidential?: boolean | null | undefined;
  due?: DueFilter | null | undefined;
  milestoneId?: number | null | undefined;
  search?: string | null | undefined;
  /** Where `search` looks; both when absent. */
  searchIn?: readonly ('title' | 'description')[] | undefined;
  createdAfter?: number | null | undefined;
  createdBefore?: number | null | undefined;
  updatedAfter?: number | null | undefined;
  updatedBefore?: number | null | undefined;
}

type Condition = Expression<SqlBool>;

/** For a query over `issues`, joined with `projects` and `namespaces` unless it is about one project. */
export function issueConditions(filter: IssueFilter): Condition[] {
  const against = traitConditions(filter.not ?? {}, filter.today);
  return [
    ...placeConditions(filter.place),
    ...traitConditions(filter, filter.today),
    ...against.map((condition) => sql<SqlBool>`(${condition}) is not true`),
    ...ownConditions(filter),
    ...timeConditions(filter),
    ...searchConditions(filter),
  ];
}

function placeConditions(place: IssueFilter['place']): Condition[] {
  if (!('viewer' in place)) {
    const { projectId, confidential } = place;
    const here = sql<SqlBool>`issues.project_id = ${projectId}`;
    return confidential === 'all' ? [here] : [here, openOrOwnIssues(confidential.of)];
  }
  const { viewer, groupId, archived } = place;
  return [
    readableIssues(viewer),
    ...(groupId === undefined
      ? []
      : [
          sql<SqlBool>`(projects.namespace_id = ${groupId} or projects.namespace_id in (${belowSet(groupId)}))`,
        ]),
    ...(archived === false ? [sql<SqlBool>`projects.archived = 0`] : []),
  ];
}

function traitConditions(traits: IssueTraits, today: string): Condition[] {
  const { iids, authorId, assignee, labels, milestone, reaction } = traits;
  return [
    ...(iids && iids.length > 0 ? [sql<SqlBool>`issues.iid in (${sql.join(iids)})`] : []),
    ...(authorId != null ? [sql<SqlBool>`issues.author_id = ${authorId}`] : []),
    ...(assignee != null ? [assigneeCondition(assignee)] : []),
    ...labelConditions(labels ?? []),
    ...(milestone != null ? [milestoneCondition(milestone, today)] : []),
    ...(reaction != null ? [reactionCondition(reaction)] : []),
  ];
}

function assigneeCondition(assignee: PersonFilter): Condition {
  if (assignee === 'none') return sql<SqlBool>`issues.id not in (select issue_id from issue_assignees)`;
  if (assignee === 'any') return sql<SqlBool>`issues.id in (select issue_id from issue_assignees)`;
  return sql<SqlBool>`issues.id in (select issue_id from issue_assignees where user_id = ${assignee})`;
}

function labelConditions(labels: readonly string[]): Condition[] {
  const word = labels.length === 1 ? labels[0]!.toLowerCase() : '';
  if (word === 'none') return [sql<SqlBool>`issues.id not in (select issue_id from issue_labels)`];
  if (word === 'any') return [sql<SqlBool>`issues.id in (select issue_id from issue_labels)`];
  return labels.map(
    (name) => sql<SqlBool>`issues.id in (select issue_id from issue_labels
      join labels on labels.id = issue_labels.label_id where labels.name = ${name})`,
  );
}

function milestoneCondition(milestone: MilestoneFilter, today: string): Condition {
  if (milestone === 'none') return sql<SqlBool>`issues.milestone_id is null`;
  if (milestone === 'any') return sql<SqlBool>`issues.milestone_id is not null`;
  const among = (condition: Condition) =>
    sql<SqlBool>`issues.milestone_id in (select milestones.id from milestones where ${condition})`;
  if (milestone === 'upcoming') return among(sql<SqlBool>`state = 'active' and due_date > ${today}`);
  if (milestone === 'started') return among(sql<SqlBool>`state = 'active' and start_date <= ${today}`);
  return among(sql<SqlBool>`title = ${milestone.title}`);
}

function reactionCondition({ userId, emoji }: ReactionFilter): Condition {
  const mine = sql`select awardable_id from award_emoji
    where awardable_type = 'Issue' and award_emoji.user_id = ${userId}`;
  const word = emoji.toLowerCase();
  if (word === 'none') return sql<SqlBool>`issues.id not in (${mine})`;
  if (word === 'any') return sql<SqlBool>`issues.id in (${mine})`;
  return sql<SqlBool>`issues.id in (${mine} and award_emoji.name = ${emoji})`;
}

function ownConditions({ state, types, confidential, due, milestoneId, today }: IssueFilter): Condition[] {
  return [
    ...(state ? [sql<SqlBool>`issues.state = ${state}`] : []),
    ...(types && types.length > 0 ? [sql<SqlBool>`issues.issue_type in (${sql.join(types)})`] : []),
    ...(confidential != null ? [sql<SqlBool>`issues.confidential = ${confidential ? 1 : 0}`] : []),
    ...(due != null ? [dueCondition(due, today)] : []),
    ...(milestoneId != null ? [sql<SqlBool>`issues.milestone_id = ${milestoneId}`] : []),
  ];
}

function timeConditions(filter: IssueFilter): Condition[] {
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = filter;
  return [
    ...(createdAfter != null ? [sql<SqlBool>`issues.created_at >= ${createdAfter}`] : []),
    ...(createdBefore != null ? [sql<SqlBool>`issues.created_at <= ${createdBefore}`] : []),
    ...(updatedAfter != null ? [sql<SqlBool>`issues.updated_at >= ${updatedAfter}`] : []),
    ...(updatedBefore != null ? [sql<SqlBool>`issues.updated_at <= ${updatedBefore}`] : []),
  ];
}

function searchConditions({ search, searchIn = ['title', 'description'] }: IssueFilter): Condition[] {
  const text = search?.trim();
  if (!text) return [];
  const found = searchIn.map((column) => containsText(sql.ref(`issues.${column}`), text));
  return [sql<SqlBool>`(${sql.join(found, sql` or `)})`];
}
