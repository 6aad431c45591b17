import type { Core, CoreApi } from '../core/core.ts';
import { awardRoutes } from './award-emoji/routes.ts';
import { followTransfers } from './carry-over/carry-over.ts';
import { issueRoutes } from './issues/routes.ts';
import { labelRoutes } from './labels/routes.ts';
import type { MergeRequestPorts } from './merge-requests/ports.ts';
import { mergeRequestRoutes } from './merge-requests/routes.ts';
import { milestoneRoutes } from './milestones/routes.ts';
import { noteAndThreadRoutes } from './notes/routes.ts';
import { resourceEventRoutes } from './resource-events/routes.ts';
import { snippetRoutes } from './snippets/routes.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';
import { timeRoutes } from './time-stats/routes.ts';
import { wikiRoutes } from './wikis/routes.ts';

export type TrackerPorts = MergeRequestPorts;

/** Every route of the room, and what it does when others tell of changes. */
export function trackerRoutes(api: CoreApi, core: Core, ports: TrackerPorts): void {
  mergeRequestRoutes(api, core, ports);
  issueRoutes(api, core);
  labelRoutes(api, core);
  milestoneRoutes(api, core);
  noteAndThreadRoutes(api, core);
  awardRoutes(api, core);
  timeRoutes(api, core);
  subscriptionRoutes(api, core, ports.findHeadPipeline);
  resourceEventRoutes(api, core);
  snippetRoutes(api, core);
  wikiRoutes(api, core);
  followTransfers(core);
}
