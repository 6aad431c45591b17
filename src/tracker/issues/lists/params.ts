import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { findUserByUsername } from '../../../core/users/store.ts';
import { keysetParams, pageParams } from '../../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../../platform/http/params.ts';
import { type Static, Type } from '../../../platform/http/schema.ts';
import type { IssueFilter, IssueTraits, MilestoneFilter, PersonFilter } from './conditions-store.ts';
import { DUE_FILTERS } from './due.ts';
import { ISSUE_ORDERS } from './store.ts';

const SCOPES = ['created-by-me', 'assigned-to-me', 'created_by_me', 'assigned_to_me', 'all'] as const;
export const ISSUE_TYPES = ['issue', 'incident', 'test_case', 'task'] as const;

const TIMEBOX = '^(?:[Nn]one|[Aa]ny|[Uu]pcoming|[Ss]tarted)?$';

/** What can be asked for, and with `not[…]` against. */
const traits = {
  labels: optional(param.csv({ description: 'All of them; or `None`, `Any`.' })),
  milestone: optional(param.string({ description: 'Its title, or `None`, `Any`, `Upcoming`, `Started`.' })),
  milestone_id: optional(
    param.string({ description: '`None`, `Any`, `Upcoming` or `Started`.', pattern: TIMEBOX }),
  ),
  iids: optional(param.list(param.integer())),
  author_id: optional(param.integer()),
  author_username: optional(param.string()),
  assignee_username: optional(param.csv()),
  my_reaction_emoji: optional(param.string({ description: 'As the caller reacted; or `None`, `Any`.' })),
};

const narrowing = {
  ...traits,
  assignee_id: optional(param.idOrNoneOrAny({ description: 'Id of the assignee, or `None` or `Any`.' })),
  not: optional(param.hash(params({ ...traits, assignee_id: optional(param.integer()) }))),
  search: optional(param.string({ description: 'In title and description.' })),
  in: optional(param.string({ description: '`title`, `description`, or both with a comma between.' })),
  issue_type: optional(param.oneOf(ISSUE_TYPES)),
  confidential: optional(param.boolean()),
  due_date: optional(param.oneOf([...DUE_FILTERS, ''], { description: 'When it is due; `0` for never.' })),
  created_after: optional(param.dateTime()),
  created_before: optional(param.dateTime()),
  updated_after: optional(param.dateTime()),
  updated_before: optional(param.dateTime()),
};

const exclusive = {
  mutuallyExclusive: [
    ['author_id', 'author_username'],
    ['assignee_id', 'assignee_username'],
    ['milestone', 'milestone_id'],
  ],
};

type Scope = (typeof SCOPES)[number];

const scoped = (scope: Scope) => ({ scope: withDefault(param.oneOf(SCOPES), scope) });

/** Over several projects: those that are archived are left out unless asked for. */
export const wideFields = { non_archived: withDefault(param.boolean(), true) };

/** What lists take beside the place that they are of; `scope` differs in its default. */
export const listParams = <P extends Parameters<typeof params>[0]>(scope: Scope, place: P) =>
  params({ ...place, ...listFields(scope) }, exclusive);

const listFields = (scope: Scope) => ({
  ...narrowing,
  ...scoped(scope),
  state: withDefault(param.oneOf(['opened', 'closed', 'all']), 'all'),
  order_by: withDefault(param.oneOf(ISSUE_ORDERS), 'created_at'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  with_labels_details: withDefault(param.boolean(), false),
  ...pageParams,
  ...keysetParams,
});

/** What counts take. */
export const statisticsParams = <P extends Parameters<typeof params>[0]>(scope: Scope, place: P) =>
  params({ ...place, ...narrowing, ...scoped(scope) }, exclusive);

const narrowingShape = Type.Object({ ...narrowing, ...scoped('all') });
const listShape = Type.Object(listFields('all'));

export type NarrowingParams = Static<typeof narrowingShape>;
export type ListParams = Static<typeof listShape>;

/** Null when it names somebody who is not there: then the list is empty. */
export async function filterOf(
  core: Pick<Core, 'db' | 'access'>,
  caller: Caller,
  input: NarrowingParams,
): Promise<Omit<IssueFilter, 'place'> | null> {
  const wanted = await traitsOf(core, caller, { ...input, assignee_id: personOf(input.assignee_id) });
  if (wanted === null) return null;
  const against = input.not ? await traitsOf(core, caller, input.not) : undefined;
  return {
    ...wanted,
    // nobody of that name has written or is to do any of them
    not: against ?? undefined,
    today: core.access.today(),
    types: input.issue_type ? [input.issue_type] : null,
    confidential: input.confidential,
    due: input.due_date || null,
    search: input.search,
    searchIn: searchIn(input.in),
    createdAfter: input.created_after,
    createdBefore: input.created_before,
    updatedAfter: input.updated_after,
    updatedBefore: input.updated_before,
    ...ownScope(caller, input.scope),
  };
}

function ownScope({ user }: Caller, scope: Scope): Pick<IssueTraits, 'authorId' | 'assignee'> {
  switch (scope) {
    case 'created_by_me':
    case 'created-by-me':
      return { authorId: user.id };
    case 'assigned_to_me':
    case 'assigned-to-me':
      return { assignee: user.id };
    default:
      return {};
  }
}

type TraitParams = Pick<NarrowingParams, Exclude<keyof typeof traits, 'assignee_id'>> & {
  assignee_id?: PersonFilter | null | undefined;
};

async function traitsOf(
  core: Pick<Core, 'db'>,
  caller: Caller,
  input: TraitParams,
): Promise<IssueTraits | null> {
  const author = await byName(core, input.author_username);
  const assignee = await byName(core, input.assignee_username?.[0]);
  if (author === null || assignee === null) return null;
  const emoji = input.my_reaction_emoji;
  return {
    iids: input.iids,
    authorId: input.author_id ?? author,
    assignee: input.assignee_id ?? assignee,
    labels: input.labels,
    milestone: milestoneOf(input.milestone || input.milestone_id),
    reaction: emoji ? { userId: caller.user.id, emoji } : null,
  };
}

/** Undefined when nobody is named, null when he is not there. */
async function byName(
  core: Pick<Core, 'db'>,
  name: string | null | undefined,
): Promise<number | null | undefined> {
  if (!name) return undefined;
  return (await findUserByUsername(core.db, name))?.id ?? null;
}

function personOf(text: string | null | undefined): PersonFilter | undefined {
  if (!text) return undefined;
  const word = text.toLowerCase();
  return word === 'none' || word === 'any' ? word : Number(word);
}

const TIMEBOXES = ['none', 'any', 'upcoming', 'started'] as const;

function milestoneOf(text: string | null | undefined): MilestoneFilter | null {
  if (!text) return null;
  return TIMEBOXES.find((word) => word === text.toLowerCase()) ?? { title: text };
}

function searchIn(text: string | null | undefined): ('title' | 'description')[] | undefined {
  const wanted = (text ?? '').split(',').map((word) => word.trim());
  const found = (['title', 'description'] as const).filter((column) => wanted.includes(column));
  return found.length > 0 ? found : undefined;
}
