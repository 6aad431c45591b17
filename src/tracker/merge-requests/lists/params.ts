import type { Static } from 'typebox';
import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { findUserByUsername } from '../../../core/users/store.ts';
import { pageParams } from '../../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../../platform/http/params.ts';
import type { MergeRequestState } from '../../tables.ts';
import type { MergeRequestFilter, PersonFilter } from './store.ts';

const SCOPES = [
  'created-by-me',
  'assigned-to-me',
  'created_by_me',
  'assigned_to_me',
  'reviews_for_me',
  'all',
] as const;

const person = (of: string) =>
  optional(param.string({ description: `Id of ${of}, or \`None\` or \`Any\`.`, pattern: PERSON }));
const PERSON = '^(?:\\d{1,15}|[Nn][Oo][Nn][Ee]|[Aa][Nn][Yy])?$';

/** The filters that every list of merge requests takes; `scope` differs in its default. */
export const listFields = (scope: (typeof SCOPES)[number]) => ({
  state: withDefault(param.oneOf(['opened', 'closed', 'locked', 'merged', 'all']), 'all'),
  order_by: withDefault(param.oneOf(['created_at', 'updated_at', 'merged_at', 'title']), 'created_at'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  scope: withDefault(param.oneOf(SCOPES), scope),
  view: optional(param.oneOf(['simple'], { description: 'Only number, title, state, dates and address.' })),
  author_id: optional(param.integer()),
  author_username: optional(param.string()),
  assignee_id: person('the assignee'),
  assignee_username: optional(param.csv()),
  reviewer_id: person('the reviewer'),
  reviewer_username: optional(param.string()),
  labels: optional(param.csv({ description: 'All of them; or `None`, `Any`.' })),
  search: optional(param.string({ description: 'In title and description.' })),
  in: optional(param.string({ description: '`title`, `description`, or both with a comma between.' })),
  iids: optional(param.list(param.integer())),
  source_branch: optional(param.string()),
  target_branch: optional(param.string()),
  source_project_id: optional(param.integer()),
  wip: optional(param.oneOf(['yes', 'no'], { description: 'Drafts, or what is none.' })),
  draft: optional(param.boolean()),
  created_after: optional(param.dateTime()),
  created_before: optional(param.dateTime()),
  updated_after: optional(param.dateTime()),
  updated_before: optional(param.dateTime()),
  with_merge_status_recheck: optional(param.boolean({ description: 'Look at the branches now.' })),
  ...pageParams,
});

const shape = params(listFields('all'));
export type ListParams = Static<typeof shape>;

/** Null when it names somebody who is not there: then the list is empty. */
export async function filterOf(
  core: Pick<Core, 'db'>,
  caller: Caller,
  input: ListParams,
): Promise<MergeRequestFilter | null> {
  const people = await peopleOf(core, input);
  if (people === null) return null;
  return {
    state: input.state === 'all' ? null : (input.state as MergeRequestState),
    sourceBranch: input.source_branch || null,
    targetBranch: input.target_branch || null,
    sourceProjectId: input.source_project_id,
    labels: input.labels,
    search: input.search,
    searchIn: searchIn(input.in),
    iids: input.iids,
    draft: input.draft ?? (input.wip ? input.wip === 'yes' : null),
    createdAfter: input.created_after,
    createdBefore: input.created_before,
    updatedAfter: input.updated_after,
    updatedBefore: input.updated_before,
    ...people,
    ...ownScope(caller, input.scope),
  };
}

function ownScope({ user }: Caller, scope: ListParams['scope']): Partial<MergeRequestFilter> {
  switch (scope) {
    case 'created_by_me':
    case 'created-by-me':
      return { authorId: user.id };
    case 'assigned_to_me':
    case 'assigned-to-me':
      return { assignee: user.id };
    case 'reviews_for_me':
      return { reviewer: user.id };
    default:
      return {};
  }
}

function searchIn(text: string | null | undefined): ('title' | 'description')[] | undefined {
  const wanted = (text ?? '').split(',').map((word) => word.trim());
  const found = (['title', 'description'] as const).filter((column) => wanted.includes(column));
  return found.length > 0 ? found : undefined;
}

async function peopleOf(core: Pick<Core, 'db'>, input: ListParams) {
  const [author, assignee, reviewer] = await Promise.all([
    byName(core, input.author_username),
    byName(core, input.assignee_username?.[0]),
    byName(core, input.reviewer_username),
  ]);
  if (author === null || assignee === null || reviewer === null) return null;
  return {
    authorId: input.author_id ?? author,
    assignee: personOf(input.assignee_id) ?? assignee,
    reviewer: personOf(input.reviewer_id) ?? reviewer,
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
