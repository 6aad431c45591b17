import type { Scope } from '../scope.ts';
import { searchInProject } from './in-project.ts';
import type { FindPipelines } from './ports.ts';

/** Commits by what their messages say. */
export const commitScope =
  (findPipelines: FindPipelines): Scope =>
  (search) => {
    if (search.place.level !== 'project') throw new Error('commits are searched in one project');
    return searchInProject(search, search.place, findPipelines);
  };
