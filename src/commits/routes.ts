import type { Core, CoreApi } from '../core/core.ts';
import { cherryPickRoute } from './cherry-pick.ts';
import { commentRoutes } from './comments.ts';
import { createRoute } from './create.ts';
import { CommitDetails } from './detail.ts';
import { diffRoute } from './diff.ts';
import { discussionRoutes } from './discussions.ts';
import { keepWhatIsReferredTo } from './keep-around.ts';
import { listRoute } from './list.ts';
import { mergeRequestsRoute } from './merge-requests.ts';
import { PageCache } from './page-cache.ts';
import { refsRoute } from './refs.ts';
import { revertRoute } from './revert.ts';
import { sequenceRoute } from './sequence.ts';
import { showRoute } from './show.ts';
import { signatureRoute } from './signature.ts';
import { statusRoutes } from './statuses.ts';

/** Everything under `/projects/:id/repository/commits`, and the posting of statuses; and that commits stay which any of it refers to. */
export function commitRoutes(api: CoreApi, core: Core): void {
  const room = api.room('commits');
  const pages = new PageCache(core);
  const details = new CommitDetails(core, pages);
  listRoute(room, core, pages);
  createRoute(room, core, details);
  showRoute(room, core, details);
  diffRoute(room, core, pages);
  refsRoute(room, core);
  sequenceRoute(room, core);
  signatureRoute(room, core);
  cherryPickRoute(room, core);
  revertRoute(room, core);
  commentRoutes(room, core);
  discussionRoutes(room, core);
  statusRoutes(room, core);
  mergeRequestsRoute(room, core);
  keepWhatIsReferredTo(core);
}
