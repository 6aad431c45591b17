import type { Core, CoreApi } from '../../core/core.ts';
import { wikiReadRoutes } from './read-routes.ts';
import { wikiWriteRoutes } from './write-routes.ts';

/** Every route of `/projects/:id/wikis`. Git clients reach the same pages, `core/repository/git-target-wiki.ts`. */
export function wikiRoutes(api: CoreApi, core: Core): void {
  const wikis = api.room('wikis');
  wikiReadRoutes(wikis, core);
  wikiWriteRoutes(wikis, core);
}
