import { pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import type { Static } from '../../platform/http/schema.ts';
import type { MilestoneFilter } from './store.ts';

export const milestoneId = param.integer({ description: 'The id, not the number within the project.' });

/** What lists of milestones are narrowed by. */
export const listFields = {
  iids: optional(param.list(param.integer())),
  state: withDefault(param.oneOf(['active', 'closed', 'all']), 'all'),
  title: optional(param.string()),
  search: optional(param.string({ description: 'In title and description.' })),
  include_parent_milestones: optional(param.boolean({ description: 'The older name of the next.' })),
  include_ancestors: optional(param.boolean({ description: 'With those of the groups above.' })),
  updated_after: optional(param.dateTime()),
  updated_before: optional(param.dateTime()),
  ...pageParams,
};

const shape = params(listFields);

export const filterOf = (asked: Static<typeof shape>): Omit<MilestoneFilter, 'groupIds'> => ({
  iids: asked.iids,
  state: asked.state === 'all' ? null : asked.state,
  title: asked.title,
  search: asked.search,
  updatedAfter: asked.updated_after,
  updatedBefore: asked.updated_before,
});

export const wantsAncestors = (asked: Static<typeof shape>): boolean =>
  asked.include_ancestors ?? asked.include_parent_milestones ?? false;

export const newFields = {
  title: param.string(),
  description: optional(param.string()),
  due_date: optional(param.date()),
  start_date: optional(param.date()),
};

export const changeFields = {
  ...newFields,
  title: optional(param.string()),
  state_event: optional(param.oneOf(['close', 'activate'])),
};
