import type { ProjectAccess } from '../../core/access/access.ts';
import { Level } from '../../core/access/levels.ts';
import type { Caller } from '../../core/caller.ts';
import type { User } from '../../core/tables.ts';
import type { SnippetRow } from './tables.ts';

/** Who may do what with one snippet; `visible-store.ts` says the first of it for lists. */

type Snippet = Pick<SnippetRow, 'visibility' | 'author_id'>;
/** As much of a caller as counts here. */
type Person = { user: Pick<User, 'id' | 'external'> };

/** In a project the stricter counts of what the project shows and what the snippet does; members see all of them. */
export function mayReadInProject(
  snippet: Snippet,
  person: Person,
  access: Pick<ProjectAccess, 'can' | 'level'>,
): boolean {
  if (!access.can('read_snippet')) return false;
  return access.level >= Level.guest || isOpenTo(snippet, person) || isAuthor(snippet, person);
}

export function mayChangeInProject(snippet: Snippet, caller: Caller, access: ProjectAccess): boolean {
  return access.can('admin_snippet') || (access.can('update_own_snippet') && isAuthor(snippet, caller));
}

export const mayReadPersonal = (snippet: Snippet, caller: Caller): boolean =>
  caller.admin || isAuthor(snippet, caller) || isOpenTo(snippet, caller);

export const mayChangePersonal = (snippet: Snippet, caller: Caller): boolean =>
  caller.admin || isAuthor(snippet, caller);

/** External users belong to nobody: what they wrote beside projects would have no one to answer for it. */
export const mayCreatePersonal = ({ user }: Caller): boolean => user.external === 0;

export const isAuthor = ({ author_id }: Snippet, { user }: Person): boolean => author_id === user.id;

const isOpenTo = ({ visibility }: Snippet, { user }: Person): boolean =>
  visibility === 'public' || (visibility === 'internal' && user.external === 0);
