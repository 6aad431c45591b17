import { pageParams } from '../../../platform/http/pagination.ts';
import { optional, type ParamRules, param, params, withDefault } from '../../../platform/http/params.ts';
import { type Static, Type } from '../../../platform/http/schema.ts';

const SCOPES = [
  'created-by-me',
  'assigned-to-me',
  'created_by_me',
  'assigned_to_me',
  'reviews_for_me',
  'all',
] as const;

const person = (of: string) =>
  optional(param.idOrNoneOrAny({ description: `Id of ${of}, or \`None\` or \`Any\`.` }));

/** GitLab's limit; SQLite takes patterns of some 50,000 bytes. */
const MAX_SEARCH = 4096;

const EMOJI = 'That the caller has given, or `None` or `Any`.';

/** What `not` takes; all of these stand for themselves too. */
const invertible = {
  author_id: optional(param.integer()),
  author_username: optional(param.string()),
  assignee_id: person('the assignee'),
  assignee_username: optional(param.csv()),
  reviewer_id: person('the reviewer'),
  reviewer_username: optional(param.string()),
  labels: optional(param.csv({ description: 'All of them; or `None`, `Any`.' })),
  milestone: optional(param.string({ description: 'Its title, or `None` or `Any`.' })),
  my_reaction_emoji: optional(param.string({ description: EMOJI })),
  source_branch: optional(param.string()),
  target_branch: optional(param.string()),
};

const not = Type.Object(invertible);
export type InvertibleParams = Static<typeof not>;

/** The filters that every list of merge requests takes; `scope` differs in its default. */
export const listFields = (scope: (typeof SCOPES)[number]) => ({
  state: withDefault(param.oneOf(['opened', 'closed', 'locked', 'merged', 'all']), 'all'),
  order_by: withDefault(param.oneOf(['created_at', 'updated_at', 'merged_at', 'title']), 'created_at'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  scope: withDefault(param.oneOf(SCOPES), scope),
  view: optional(param.oneOf(['simple'], { description: 'Only number, title, state, dates and address.' })),
  with_labels_details: optional(param.boolean({ description: 'Labels as a whole, not only names.' })),
  ...invertible,
  not: optional(param.hash(not, { description: 'Those that do not match.' })),
  approved: optional(param.oneOf(['yes', 'no'])),
  approved_by_ids: optional(param.csv({ description: 'Approved by all of them; or `None`, `Any`.' })),
  approved_by_usernames: optional(param.csv()),
  merge_user_id: optional(param.integer()),
  merge_user_username: optional(param.string()),
  search: optional(param.string({ description: 'In title and description.', maxLength: MAX_SEARCH })),
  in: optional(param.string({ description: '`title`, `description`, or both with a comma between.' })),
  iids: optional(param.list(param.integer())),
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

/** A person is named one way or the other. */
export const listRules: ParamRules = {
  mutuallyExclusive: [
    ['author_id', 'author_username'],
    ['assignee_id', 'assignee_username'],
    ['reviewer_id', 'reviewer_username'],
    ['merge_user_id', 'merge_user_username'],
  ],
};

const shape = params(listFields('all'));
export type ListParams = Static<typeof shape>;
