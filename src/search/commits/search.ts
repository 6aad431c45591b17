import type { CommitIndex } from '../commit-index/commit-index.ts';
import type { Scope } from '../scope.ts';
import { searchInProject } from './in-project.ts';
import { searchOverProjects } from './over-projects.ts';
import type { FindPipelines } from './ports.ts';

interface Ports {
  /** Asked only where searches over many projects are offered. */
  commits: () => Promise<CommitIndex>;
  findPipelines: FindPipelines;
}

/** Commits by what their messages say. */
export const commitScope =
  (ports: Ports): Scope =>
  (search) =>
    search.place.level === 'project'
      ? searchInProject(search, search.place, ports.findPipelines)
      : searchOverProjects(search, ports);
