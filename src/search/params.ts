import { keysetParams, pageParams } from '../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../platform/http/params.ts';
import type { Static } from '../platform/http/schema.ts';
import type { ScopeName } from './place.ts';

const ORDERS = ['created_at', 'updated_at'] as const;

/** In the order in which what is wrong with them is told. */
const commonFields = {
  state: optional(
    param.oneOf(['all', 'opened', 'closed', 'merged'], { description: 'Of issues and merge requests.' }),
  ),
  confidential: optional(param.boolean({ description: 'Of issues: only confidential ones, or none.' })),
  order_by: optional(
    param.string({
      description: `Of issues and merge requests, together with \`sort\`: ${ORDERS.join(' or ')}. Anything else counts as newest first.`,
    }),
  ),
  sort: optional(param.string({ description: '`asc` or `desc`.' })),
  include_archived: withDefault(
    param.boolean({ description: 'On the instance and in groups: archived projects, too.' }),
    false,
  ),
  search_type: optional(
    param.oneOf(['basic', 'advanced', 'zoekt'], {
      description:
        '`zoekt` reads `case:yes` in a search for blobs. Otherwise without effect: `X-Search-Type` says what was used.',
    }),
  ),
  regex: optional(
    param.boolean({ description: 'Of blobs: what `search` has beside filters is a regular expression.' }),
  ),
  case_sensitive: optional(
    param.boolean({ description: 'Of blobs: letter case counts. Never that of filters.' }),
  ),
  exclude_forks: optional(
    param.boolean({ description: 'Of blobs, on the instance and in groups: no forks.' }),
  ),
  ...pageParams,
  ...keysetParams,
};

export type CommonParams = typeof commonFields;

const searchFields = (scopes: readonly ScopeName[]) => ({
  search: param.string({ description: 'What is looked for.' }),
  scope: param.oneOf(scopes, { description: 'What kind of thing is looked for.' }),
});

const ref = optional(
  param.string({ description: 'Branch, tag or commit for blobs and commits; the default branch otherwise.' }),
);

export const globalParams = (scopes: readonly ScopeName[]) =>
  params({ ...searchFields(scopes), ...commonFields });

export const groupParams = (scopes: readonly ScopeName[]) =>
  params({
    id: param.string({ description: 'Id or full path of the group.' }),
    ...searchFields(scopes),
    ...commonFields,
  });

export const projectParams = (scopes: readonly ScopeName[]) =>
  params({
    id: param.string({ description: 'Id or full path of the project.' }),
    ...searchFields(scopes),
    ref,
    ...commonFields,
  });

/** As scopes see them; `ref` is there on the route of a project alone. */
export type SearchParams = Static<ReturnType<typeof globalParams>> & {
  ref?: string | null;
};

export interface Order {
  by: (typeof ORDERS)[number];
  direction: 'asc' | 'desc';
}

/** Only a pair that GitLab knows counts; it refuses no other. */
export function orderOf({ order_by: by, sort }: SearchParams): Order {
  const known = ORDERS.find((order) => order === by);
  return known && (sort === 'asc' || sort === 'desc')
    ? { by: known, direction: sort }
    : { by: 'created_at', direction: 'desc' };
}
