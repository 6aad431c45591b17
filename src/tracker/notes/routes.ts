import type { Core, CoreApi } from '../../core/core.ts';
import { discussionRoutes, plainThreadRoutes } from './discussion-routes.ts';
import { noteRoutes } from './note-routes.ts';
import { draftRoutes } from './review/drafts/routes.ts';
import { reviewRoutes } from './review/routes.ts';
import { kinds, mergeRequests } from './targets.ts';

/** What people say about issues, merge requests and snippets. */
export function noteAndThreadRoutes(api: CoreApi, core: Core): void {
  const room = api.room('notes');
  for (const kind of kinds) {
    noteRoutes(room, core, kind);
    discussionRoutes(room, core, kind);
    if (kind !== mergeRequests) plainThreadRoutes(room, core, kind);
  }
  reviewRoutes(room, core);
  draftRoutes(api, core);
}
