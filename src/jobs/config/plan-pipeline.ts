import type { CiConfig, Rule } from './config.ts';
import { Patterns } from './expression/pattern.ts';
import { ConfigError } from './merge/config-error.ts';
import type { JobPlan, PipelinePlan, PlanContext } from './plan.ts';
import { Evaluation } from './planning/evaluation.ts';
import { Linking } from './planning/needs.ts';
import { type ChosenJob, chosenOf, type Decider, lastOfEach } from './planning/outcome.ts';
import { Weight } from './planning/weight.ts';
import type { PlanRefusal } from './source.ts';

/** More would hold its transaction, and everybody who writes, for seconds. */
const MAX_JOBS = 10_000;
const MAX_NAME = 255;

const FILTERED = 'Pipeline filtered out by workflow rules.';
const NO_JOBS =
  'Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being added to the pipeline.';

/** Which jobs a pipeline gets, each with all that the configuration says of it. */
export async function planPipeline(
  config: CiConfig,
  context: PlanContext,
): Promise<PipelinePlan | PlanRefusal> {
  const patterns = await Patterns.load();
  const evaluation = new Evaluation(context, patterns);
  const { workflow } = config;
  const rule = await readable('workflow', workflowRule(config, evaluation));
  if (isUnreadable(rule)) return rule;
  if (rule === 'never') return { refused: 'workflow', message: FILTERED };
  const globals = lastOfEach([...config.variables, ...(rule?.variables ?? [])]);
  const facts = { context, patterns, hasWorkflowRules: workflow.rules !== null };
  const chosen = await choose({ config, globals, evaluation, facts });
  if (!Array.isArray(chosen)) return chosen;
  const jobs = link(config, chosen);
  if (!Array.isArray(jobs)) return jobs;
  const name = workflow.name && evaluation.scope(globals).expand(workflow.name).trim();
  return {
    name: name ? name.slice(0, MAX_NAME) : null,
    stages: stagesOf(config, chosen),
    jobs,
    autoCancel: rule?.autoCancel ?? workflow.autoCancel,
  };
}

export const isRefusal = (plan: PipelinePlan | PlanRefusal): plan is PlanRefusal => 'refused' in plan;

/** The rule of the workflow that holds; null where every pipeline may be. */
async function workflowRule(
  { workflow, variables }: CiConfig,
  evaluation: Evaluation,
): Promise<Rule | 'never' | null> {
  if (!workflow.rules) return null;
  const rule = await evaluation.scope(variables).firstOf(workflow.rules);
  return rule && rule.when !== 'never' ? rule : 'never';
}

async function choose(decider: Decider): Promise<ChosenJob[] | PlanRefusal> {
  const weight = new Weight();
  const chosen: ChosenJob[] = [];
  for (const job of decider.config.jobs) {
    const copies = await readable(job.name, chosenOf(decider, job));
    if (isUnreadable(copies)) return copies;
    for (const each of copies) {
      chosen.push(each);
      if (each.plan.name.length > MAX_NAME) return broken(tooLong(each.plan.name));
      if (!weight.add(each)) return broken('The jobs of the pipeline have too much text.');
    }
    if (chosen.length > MAX_JOBS) return broken(`The pipeline has more than ${MAX_JOBS} jobs.`);
    await decider.evaluation.breath.take();
  }
  const hasWork = chosen.some(({ plan }) => plan.stage !== '.pre' && plan.stage !== '.post');
  return hasWork ? chosen : { refused: 'no jobs', message: NO_JOBS };
}

/** What rules decide, or why they cannot be asked. */
async function readable<T>(name: string, decision: Promise<T>): Promise<T | Unreadable> {
  try {
    return await decision;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { refused: 'broken', message: `Failed to parse rule for ${name}: ${error.message}` };
  }
}

type Unreadable = PlanRefusal & { refused: 'broken' };

const isUnreadable = (decision: unknown): decision is Unreadable =>
  typeof decision === 'object' && decision !== null && 'refused' in decision;

const tooLong = (name: string): string =>
  `jobs:${name.slice(0, MAX_NAME)} job name is too long (maximum is ${MAX_NAME} characters)`;

const broken = (message: string): PlanRefusal => ({ refused: 'broken', message });

function link(config: CiConfig, chosen: readonly ChosenJob[]): JobPlan[] | PlanRefusal {
  const linking = new Linking(chosen);
  const position = new Map(stagesOf(config, chosen).map((stage, index) => [stage, index]));
  const jobs = chosen.map((each): JobPlan => {
    const needs = linking.needsOf(each);
    return {
      ...each.plan,
      needs: needs ?? [],
      scheduling: needs === null ? 'stage' : 'dag',
      stageIdx: position.get(each.plan.stage) ?? 0,
      definition: { ...each.plan.definition, dependencies: linking.dependenciesOf(each) },
    };
  });
  return linking.errors.length === 0 ? jobs : broken(linking.errors.join('\n'));
}

/** `.pre` and `.post` only where a job is in them. */
function stagesOf({ stages }: CiConfig, chosen: readonly ChosenJob[]): string[] {
  const used = new Set(chosen.map(({ plan }) => plan.stage));
  return stages.filter((stage) => used.has(stage) || (stage !== '.pre' && stage !== '.post'));
}
