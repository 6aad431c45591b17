import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { findUserByUsername } from '../../../core/users/store.ts';
import type { MergeRequestState } from '../../tables.ts';
import { type Conditions, type PersonFilter, wildcard } from './conditions-store.ts';
import type { InvertibleParams, ListParams } from './params.ts';
import type { MergeRequestFilter } from './store.ts';

type Deps = Pick<Core, 'db'>;

/** Nobody has this id: a list of what he did is empty. */
const NOBODY = 0;

/** What the parameters of a list ask for. Somebody who is not there has done nothing. */
export async function filterOf(core: Deps, caller: Caller, input: ListParams): Promise<MergeRequestFilter> {
  return {
    state: input.state === 'all' ? null : (input.state as MergeRequestState),
    sourceProjectId: input.source_project_id,
    search: input.search,
    searchIn: searchIn(input.in),
    iids: input.iids,
    draft: input.draft ?? (input.wip ? input.wip === 'yes' : null),
    createdAfter: input.created_after,
    createdBefore: input.created_before,
    updatedAfter: input.updated_after,
    updatedBefore: input.updated_before,
    mergedById: await idOf(core, input.merge_user_id, input.merge_user_username),
    approvedBy: await approvers(core, input),
    ...(await conditions(core, caller, input)),
    ...(input.not && { not: await conditions(core, caller, input.not) }),
    ...ownScope(caller, input.scope),
  };
}

async function conditions(core: Deps, { user }: Caller, input: InvertibleParams): Promise<Conditions> {
  const emoji = input.my_reaction_emoji;
  return {
    sourceBranch: input.source_branch || null,
    targetBranch: input.target_branch || null,
    authorId: await idOf(core, input.author_id, input.author_username),
    assignee: await personOf(core, input.assignee_id, input.assignee_username?.[0]),
    reviewer: await personOf(core, input.reviewer_id, input.reviewer_username),
    labels: input.labels,
    milestone: input.milestone,
    reaction: emoji ? { name: emoji, userId: user.id } : null,
  };
}

function ownScope({ user }: Caller, scope: ListParams['scope']): Conditions {
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

/** Null where nobody is named. */
async function idOf(
  { db }: Deps,
  id: number | null | undefined,
  name: string | null | undefined,
): Promise<number | null> {
  if (id != null) return id;
  return name ? ((await findUserByUsername(db, name))?.id ?? NOBODY) : null;
}

async function personOf(
  core: Deps,
  id: string | null | undefined,
  name: string | null | undefined,
): Promise<PersonFilter | null> {
  const text = id || name;
  if (!text) return null;
  return wildcard(text) ?? (id ? Number(id) : idOf(core, null, name));
}

/** GitLab's limit. */
const MAX_APPROVERS = 5;

async function approvers(core: Deps, input: ListParams): Promise<Conditions['approvedBy']> {
  const named = input.approved_by_ids ?? input.approved_by_usernames ?? [];
  const [first] = named;
  if (first === undefined) return input.approved ? (input.approved === 'yes' ? 'any' : 'none') : null;
  const word = named.length === 1 ? wildcard(first) : null;
  if (word) return word;
  const ids = named.slice(0, MAX_APPROVERS).map((text) => {
    const byId = input.approved_by_ids !== null && input.approved_by_ids !== undefined;
    if (!byId) return idOf(core, null, text);
    return /^\d{1,15}$/.test(text) ? Number(text) : NOBODY;
  });
  return (await Promise.all(ids)).map((id) => id ?? NOBODY);
}
