import type { EnvironmentPlan } from '../config/plan.ts';
import { environmentSlug } from './slug.ts';
import { type JobVariable, openVariables } from './variable.ts';

const TIERS: [tier: string, names: RegExp][] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|acc?e?pt|qa|qc|control|quality/i],
  ['staging', /st(?:a|)g|mod(?:e|)l|pre|demo|non/i],
  ['production', /pr(?:o|)d|live/i],
];

/** What kind of environment a name says, as GitLab guesses it. */
const tierOf = (name: string): string => TIERS.find(([, names]) => names.test(name))?.[0] ?? 'other';

/** What the configuration says, else what the name says. */
export const environmentTier = (name: string, plan: EnvironmentPlan | null): string =>
  plan?.deploymentTier ?? tierOf(name);

/** `name` is expanded already, the address is not. */
export const environmentVariables = (name: string, plan: EnvironmentPlan | null): JobVariable[] =>
  openVariables({
    CI_ENVIRONMENT_NAME: name,
    CI_ENVIRONMENT_SLUG: environmentSlug(name),
    CI_ENVIRONMENT_ACTION: plan?.action ?? 'start',
    CI_ENVIRONMENT_TIER: environmentTier(name, plan),
    CI_ENVIRONMENT_URL: plan?.url,
  });
