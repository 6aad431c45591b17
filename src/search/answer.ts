import type { Caller } from '../core/caller.ts';
import type { Core } from '../core/core.ts';
import type { SettingName } from '../core/settings/registry.ts';
import { fail } from '../platform/errors.ts';
import { Answer } from '../platform/http/answer.ts';
import { encodeCursor, keysetAnswer, type Linkable, pageAnswer } from '../platform/http/pagination.ts';
import type { ApiRequest } from '../platform/http/request.ts';
import { isHopeless, isOddRef } from './hopeless.ts';
import { windowOf } from './page.ts';
import type { SearchParams } from './params.ts';
import { isShut, type Place, type ScopeName } from './place.ts';
import type { PageWindow, SearchResult } from './scope.ts';
import type { Scopes } from './scopes.ts';

export type SearchCall = ApiRequest<Caller, SearchParams, unknown>;

/** Parameters are checked by now; then GitLab looks for the place, then whether anything can be found there at all. */
export async function answerSearch(
  core: Core,
  scopes: Scopes,
  call: SearchCall,
  findPlace: (call: SearchCall) => Promise<Place>,
): Promise<Answer> {
  const { caller, params, baseUrl, signal } = call;
  const window = windowOf(params);
  const place = await findPlace(call);
  await refuseSwitchedOff(core, place, params.scope);
  if (isShut(place, params.scope)) return new Answer(200, [], { 'x-search-type': 'basic' });
  if (findsNothing(params)) return answerOf(call, window, place, NOTHING);
  const viewer = core.access.viewer(caller);
  const text = params.search.trim();
  const search = { core, caller, viewer, place, text, params, window, baseUrl, signal };
  return answerOf(call, window, place, await scopes[params.scope](search));
}

const NOTHING: SearchResult = { items: [], facts: { total: 0 }, next: null };

function findsNothing({ search, scope, regex, ref }: SearchParams): boolean {
  const isExpression = regex === true && (scope === 'blobs' || scope === 'wiki_blobs');
  return isHopeless(search, { regex: isExpression }) || isOddRef(ref ?? '');
}

/** What an administrator can take out of the search over everything. */
const SWITCHES: Partial<Record<ScopeName, SettingName>> = {
  issues: 'global_search_issues_enabled',
  merge_requests: 'global_search_merge_requests_enabled',
  snippet_titles: 'global_search_snippet_titles_enabled',
  snippet_blobs: 'global_search_snippet_titles_enabled',
  users: 'global_search_users_enabled',
};

async function refuseSwitchedOff(core: Core, place: Place, scope: ScopeName): Promise<void> {
  const name = SWITCHES[scope];
  if (place.level !== 'global' || name === undefined || (await core.settings.get(name))) return;
  throw fail.forbidden('Global Search is disabled for this scope');
}

function answerOf(call: Linkable, window: PageWindow, place: Place, result: SearchResult): Answer {
  const { items, facts = {}, next = null } = result;
  const answer =
    window.by === 'number'
      ? pageAnswer(call, window.page, items, facts)
      : keysetAnswer(call, items, next && { cursor: encodeCursor({ ...next }) });
  return new Answer(200, answer.body, {
    'x-search-type': 'basic',
    // GitLab sends it on this one route.
    ...(place.level === 'global' && { 'content-transfer-encoding': 'binary' }),
    ...answer.headers,
    ...result.headers,
  });
}
