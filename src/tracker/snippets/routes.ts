import type { Core, CoreApi } from '../../core/core.ts';
import { snippetListRoutes, snippetReadRoutes, snippetWriteRoutes } from './personal-routes.ts';
import { projectSnippetReadRoutes, projectSnippetWriteRoutes } from './project-routes.ts';
import { snippetBytes } from './size-store.ts';

/** Every route of snippets, personal and in projects, and the figure that projects show of them. */
export function snippetRoutes(api: CoreApi, core: Core): void {
  const snippets = api.room('snippets');
  snippetListRoutes(snippets, core);
  snippetReadRoutes(snippets, core);
  snippetWriteRoutes(snippets, core);
  projectSnippetReadRoutes(snippets, core);
  projectSnippetWriteRoutes(snippets, core);
  core.projectFigures.snippetBytes = (projectIds) => snippetBytes(core.db, projectIds);
}
