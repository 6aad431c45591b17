import type { Elsewhere } from './config.ts';
import { globPattern } from './glob.ts';
import { ConfigError } from './merge/config-error.ts';
import type { PlanContext } from './plan.ts';
import type { ConfigPlace } from './source.ts';

/** GitLab's own bound of one rule: what is left counts as found. */
const MAX_COMPARISONS = 50_000;

/** The question of `rules:exists`, asked of the files of a place, or of another project that its user may read. */
export const existsIn =
  (own: ConfigPlace): PlanContext['exists'] =>
  async (globs, elsewhere) => {
    const place = elsewhere ? await placeOf(own, elsewhere) : own;
    let comparisons = 0;
    for (const glob of globs) {
      const pattern = globPattern(glob);
      const matches = (path: string) => ++comparisons > MAX_COMPARISONS || pattern.matches(path);
      if ((await place.match({ ...pattern, matches })).length > 0) return true;
    }
    return false;
  };

/** What variables hold is not said: everybody who sees the pipeline reads the error. */
async function placeOf(own: ConfigPlace, { project, ref }: Elsewhere): Promise<ConfigPlace> {
  const place = await own.other(project, ref);
  if (place === 'unknown project') throw new ConfigError('rules:exists:project is not a valid project path');
  if (place === 'unknown ref') throw new ConfigError('rules:exists:ref is not a valid ref of the project');
  return place;
}
