import type { ProjectAbility } from '../core/access/abilities.ts';
import type { InGroup, InProject } from '../core/guards.ts';

/** Where a search looks: everywhere, in a group with all groups below it, or in one project. */
export type Place = { level: 'global' } | ({ level: 'group' } & InGroup) | ({ level: 'project' } & InProject);

export type Level = Place['level'];

export const SCOPES = [
  'projects',
  'issues',
  'merge_requests',
  'milestones',
  'users',
  'snippet_titles',
  'snippet_blobs',
  'notes',
  'blobs',
  'wiki_blobs',
  'commits',
] as const;

export type ScopeName = (typeof SCOPES)[number];

/** Where many repositories would have to be read for an answer, only an index can give it. */
const INDEXED: readonly ScopeName[] = ['blobs', 'wiki_blobs', 'commits'];

const ALWAYS: Record<Level, readonly ScopeName[]> = {
  global: ['projects', 'issues', 'merge_requests', 'milestones', 'users', 'snippet_titles', 'snippet_blobs'],
  group: ['projects', 'issues', 'merge_requests', 'milestones', 'users'],
  project: ['issues', 'merge_requests', 'milestones', 'users', 'notes', ...INDEXED],
};

/** What can be searched for on a route, with or without the index. */
export function scopesAt(level: Level, indexEnabled: boolean): readonly ScopeName[] {
  return level !== 'project' && indexEnabled ? [...ALWAYS[level], ...INDEXED] : ALWAYS[level];
}

/** Abilities of which the caller needs one to find anything of a scope in a project. */
const GATES: Partial<Record<ScopeName, readonly ProjectAbility[]>> = {
  issues: ['read_issue'],
  merge_requests: ['read_merge_request'],
  milestones: ['read_issue', 'read_merge_request'],
  notes: ['read_merge_request', 'read_code', 'read_issue', 'read_snippet'],
  users: ['read_members'],
  blobs: ['read_code'],
  commits: ['read_code'],
  wiki_blobs: ['read_wiki'],
};

/** Whether what is searched for is shut for the caller altogether: an answer without anything, pages included. */
export function isShut(place: Place, scope: ScopeName): boolean {
  if (place.level !== 'project') return false;
  const gate = GATES[scope];
  return gate !== undefined && !gate.some((ability) => place.access.can(ability));
}
