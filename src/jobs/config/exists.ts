import { globPattern } from './glob.ts';
import type { PlanContext } from './plan.ts';
import type { ConfigPlace } from './source.ts';

/** The question of `rules:exists`, asked of the files of a place. */
export const existsIn =
  (place: ConfigPlace): PlanContext['exists'] =>
  async (globs) => {
    for (const glob of globs) if ((await place.match(globPattern(glob))).length > 0) return true;
    return false;
  };
