import { globPattern } from './glob.ts';
import type { PlanContext } from './plan.ts';
import type { ConfigPlace } from './source.ts';

/** GitLab's own bound of one rule: what is left counts as found. */
const MAX_COMPARISONS = 50_000;

/** The question of `rules:exists`, asked of the files of a place. */
export const existsIn =
  (place: ConfigPlace): PlanContext['exists'] =>
  async (globs) => {
    let comparisons = 0;
    for (const glob of globs) {
      const pattern = globPattern(glob);
      const matches = (path: string) => ++comparisons > MAX_COMPARISONS || pattern.matches(path);
      if ((await place.match({ ...pattern, matches })).length > 0) return true;
    }
    return false;
  };
