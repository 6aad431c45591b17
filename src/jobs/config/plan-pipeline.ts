import type { CiConfig } from './config.ts';
import type { PipelinePlan, PlanContext } from './plan.ts';
import type { PlanRefusal } from './source.ts';

/** Which jobs a pipeline gets, each with all that the configuration says of it. */
export async function planPipeline(
  _config: CiConfig,
  _context: PlanContext,
): Promise<PipelinePlan | PlanRefusal> {
  throw new Error('being written');
}

export const isRefusal = (plan: PipelinePlan | PlanRefusal): plan is PlanRefusal => 'refused' in plan;
