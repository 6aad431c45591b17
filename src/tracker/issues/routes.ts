import type { Core, CoreApi } from '../../core/core.ts';
import { issueLinkRoutes } from './links/routes.ts';
import { issueListRoutes } from './lists/routes.ts';
import { followMergeRequests } from './mentions/follow.ts';
import { followCommits } from './mentions/follow-commits.ts';
import { issueMentionRoutes } from './mentions/routes.ts';
import { issueMovingRoutes } from './moving/routes.ts';
import { issueReadRoutes } from './read-routes.ts';
import { countOpenIssues } from './store.ts';
import { issueWriteRoutes } from './write-routes.ts';

/** Every route of issues, and what projects show of them. */
export function issueRoutes(api: CoreApi, core: Core): void {
  const room = api.room('issues');
  issueListRoutes(room, core);
  issueReadRoutes(room, core);
  issueWriteRoutes(room, core);
  issueMovingRoutes(room, core);
  issueLinkRoutes(room, core);
  issueMentionRoutes(room, core);
  followMergeRequests(core);
  followCommits(core);
  core.projectFigures.openIssues = (projects) => countOpenIssues(core.db, projects);
}
