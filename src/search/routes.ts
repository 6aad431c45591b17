import type { Caller } from '../core/caller.ts';
import type { Core, CoreApi } from '../core/core.ts';
import type { GuardCall } from '../platform/http/route.ts';
import { Type } from '../platform/http/schema.ts';
import { answerSearch, type SearchCall } from './answer.ts';
import { SearchElement } from './entities.ts';
import { OneATurn } from './one-a-turn.ts';
import { globalParams, groupParams, projectParams } from './params.ts';
import { type Place, scopesAt } from './place.ts';
import type { Scopes } from './scopes.ts';

interface Options {
  scopes: Scopes;
  /** Whether blobs, wikis and commits can be searched for over many projects. */
  indexEnabled: boolean;
  /** Told of each search. */
  onSearch: (caller: Caller) => void;
}

/** Search over everything, in a group and in a project: one list, whose elements are those of the scope. */
export function searchRoutes(api: CoreApi, core: Core, { scopes, indexEnabled, onSearch }: Options): void {
  const room = api.room('search');
  const responses = { 200: Type.Array(SearchElement) };
  const guard = ({ caller }: GuardCall<Caller>) => limitRate(core, caller);
  const turns = new OneATurn();
  const searching = (findPlace: (call: SearchCall) => Promise<Place>) => async (call: SearchCall) => {
    onSearch(call.caller);
    await turns.enter();
    return answerSearch(core, scopes, call, findPlace);
  };

  room.get('/search', {
    summary: 'Search over everything that the caller may see',
    params: globalParams(scopesAt('global', indexEnabled)),
    responses,
    guard,
    handler: searching(async () => ({ level: 'global' })),
  });

  for (const path of ['/groups/:id/search', '/groups/:id/-/search']) {
    room.get(path, {
      summary: 'Search in a group and all groups below it',
      params: groupParams(scopesAt('group', indexEnabled)),
      responses,
      guard,
      handler: searching(async (call) => ({ level: 'group', ...(await core.guards.group()(lookUp(call))) })),
    });
  }

  for (const path of ['/projects/:id/search', '/projects/:id/-/search']) {
    room.get(path, {
      summary: 'Search in a project',
      params: projectParams(scopesAt('project', indexEnabled)),
      responses,
      guard,
      handler: searching(async (call) => ({
        level: 'project',
        ...(await core.guards.project()(lookUp(call))),
      })),
    });
  }
}

async function limitRate(core: Core, { user }: Caller): Promise<void> {
  core.rateLimiter.check(`search:${user.id}`, await core.settings.get('search_rate_limit'));
}

/** GitLab checks parameters before it looks for the place, so the look-up that other routes do first comes late here. */
const lookUp = (call: SearchCall): GuardCall<Caller> => ({
  caller: call.caller,
  method: call.method,
  path: { id: String(call.raw['id'] ?? '') },
  raw: call.raw,
  url: call.incoming.url ?? call.path,
  baseUrl: call.baseUrl,
});
