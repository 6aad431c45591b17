import type { Core, CoreApi } from '../../core/core.ts';
import { discussionRoutes } from './discussion-routes.ts';
import { noteRoutes } from './note-routes.ts';
import { reviewRoutes } from './review-routes.ts';
import { mergeRequests } from './targets.ts';

/** What people say about issues, merge requests and snippets. */
export function noteAndThreadRoutes(api: CoreApi, core: Core): void {
  const room = api.room('notes');
  for (const kind of [mergeRequests]) {
    noteRoutes(room, core, kind);
    discussionRoutes(room, core, kind);
  }
  reviewRoutes(room, core);
}
