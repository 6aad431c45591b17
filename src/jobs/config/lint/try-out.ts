import type { Actor } from '../../../core/caller.ts';
import { contextFor } from '../../creation/draft.ts';
import type { CreationDeps, Target } from '../../creation/request.ts';
import { refusalOfRef } from '../../creation/rights.ts';
import type { CiConfig } from '../config.ts';
import { JobNames } from '../copies.ts';
import { existsIn } from '../exists.ts';
import type { PlanContext } from '../plan.ts';
import { isRefusal, planPipeline } from '../plan-pipeline.ts';
import { readConfig } from '../read-config.ts';
import type { ConfigPlace, ConfigResult } from '../source.ts';
import { type LintJobEntity, presentJobs, presentPlan } from './entities.ts';

export interface Trial {
  content: string;
  /** Whose files it may include. */
  place: ConfigPlace;
  actor: Actor;
  /** The branch or tag a pipeline of which is tried; null where none is. */
  target: Target | null;
  /** Whether to go as far as planning that pipeline. */
  dryRun: boolean;
}

export interface TriedOut extends Omit<ConfigResult, 'config'> {
  jobs: LintJobEntity[];
}

/** Reads and checks a configuration; with `dryRun` also plans the pipeline that a push to the ref would begin. */
export async function tryOut(deps: CreationDeps, trial: Trial): Promise<TriedOut> {
  const { content, place, target, dryRun, actor } = trial;
  const forbidden = target && (await refusalOfRef(deps.core, target, actor));
  const context = await contextOf(deps, trial, forbidden === null);
  const result = await readConfig({ content, place, context }, deps.yaml);
  if (result.config === null) return { ...result, jobs: [] };
  if (!dryRun) return { ...result, jobs: presentJobs(result.config) };
  if (!target) return { ...result, errors: ['Reference not found'], jobs: [] };
  if (forbidden) return { ...result, errors: [forbidden], jobs: [] };
  return { ...result, ...(await planned(result.config, context)) };
}

async function contextOf(
  deps: CreationDeps,
  { target, actor, place }: Trial,
  settings: boolean,
): Promise<PlanContext> {
  if (!target) return { ...NO_PIPELINE, exists: existsIn(place) };
  return contextFor(deps, { ...target, source: 'push', actor, beforeSha: null }, { place, settings });
}

const NO_PIPELINE: Omit<PlanContext, 'exists'> = {
  source: 'push',
  ref: '',
  tag: false,
  mergeRequest: false,
  variables: new Map(),
  changedPaths: async () => null,
};

async function planned(
  config: CiConfig,
  context: PlanContext,
): Promise<Pick<TriedOut, 'jobs'> & Partial<TriedOut>> {
  const plan = await planPipeline(config, context);
  if (isRefusal(plan)) return { errors: plan.message.split('\n'), jobs: [] };
  const names = new JobNames(config.jobs);
  return { jobs: presentPlan(plan.jobs.map((each) => ({ plan: each, job: names.find(each.name)! }))) };
}
