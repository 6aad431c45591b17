import type { CiConfig, JobConfig, Need } from '../config.ts';
import { type Copy, copiesOf } from '../copies.ts';
import type { ConfigVariable, JobPlan } from '../plan.ts';
import type { Evaluation, Scope } from './evaluation.ts';
import { admits, type RefFacts } from './policies.ts';

/** A job that will be in the pipeline; whom it waits for is told once all are known. */
export interface ChosenJob {
  job: JobConfig;
  plan: Omit<JobPlan, 'needs' | 'stageIdx' | 'scheduling'>;
  needs: Need[] | null;
}

type Decision = Pick<JobPlan, 'when' | 'startIn' | 'allowFailure' | 'interruptible'> & {
  needs: Need[] | null;
  variables: ConfigVariable[];
  /** Whether the rule's word replaces the exit codes of the job. */
  overrulesExitCodes: boolean;
};

/** What of the whole pipeline each job's decision needs. */
export interface Decider {
  config: CiConfig;
  /** The file's own, with those of the workflow rule that held. */
  globals: readonly ConfigVariable[];
  evaluation: Evaluation;
  facts: RefFacts;
}

/** The jobs that a job of the file comes to in this pipeline: none, itself, or its copies. */
export async function chosenOf(decider: Decider, job: JobConfig): Promise<ChosenJob[]> {
  const inherited = inheritedVariables(decider.globals, job.inheritVariables);
  const own = lastOfEach([...inherited, ...job.variables]);
  // copies without variables of their own are all alike
  const alike = Array.isArray(job.parallel) ? undefined : await decide(decider, job, own);
  if (alike === null) return [];
  const chosen: ChosenJob[] = [];
  for (const copy of copiesOf(job)) {
    const variables = alike ? own : lastOfEach([...own, ...copy.variables]);
    const decision = alike ?? (await decide(decider, job, variables));
    if (decision) chosen.push(choose(job, { copy, variables, decision }));
  }
  return chosen;
}

function choose(
  job: JobConfig,
  { copy, variables, decision }: { copy: Copy; variables: ConfigVariable[]; decision: Decision },
): ChosenJob {
  const { needs, variables: ofRule, overrulesExitCodes, ...decided } = decision;
  const exitCodes = overrulesExitCodes ? [] : job.definition.allowFailureExitCodes;
  return {
    job,
    needs,
    plan: {
      ...decided,
      kind: job.kind,
      name: copy.name,
      stage: job.stage,
      tags: job.tags,
      resourceGroup: job.resourceGroup,
      environment: job.environment,
      variables: lastOfEach([...variables, ...ofRule]),
      definition: { ...job.definition, node: copy.node, allowFailureExitCodes: exitCodes },
    },
  };
}

async function decide(
  { evaluation, facts }: Decider,
  job: JobConfig,
  variables: readonly ConfigVariable[],
): Promise<Decision | null> {
  const scope = evaluation.scope([...ownFacts(job), ...variables]);
  if (job.rules) return decideByRules(job, scope);
  if (!(await admits(job, scope, facts))) return null;
  const when = job.when ?? 'on_success';
  return {
    when,
    startIn: job.startIn,
    // a job that somebody may run or not does not hold up the pipeline; rules say so themselves
    allowFailure: job.allowFailure ?? when === 'manual',
    interruptible: job.interruptible,
    needs: job.needs,
    variables: [],
    overrulesExitCodes: false,
  };
}

async function decideByRules(job: JobConfig, scope: Scope): Promise<Decision | null> {
  const rule = await scope.firstOf(job.rules ?? []);
  const when = rule?.when ?? job.when ?? 'on_success';
  if (!rule || when === 'never') return null;
  return {
    when,
    startIn: rule.startIn ?? job.startIn,
    // what the job itself calls manual nobody has to run, whatever its rules ask
    allowFailure: rule.allowFailure ?? job.allowFailure ?? (when === 'manual' && job.when === 'manual'),
    interruptible: rule.interruptible ?? job.interruptible,
    needs: rule.needs ?? job.needs,
    variables: rule.variables ?? [],
    overrulesExitCodes: rule.allowFailure !== null,
  };
}

/** What rules may ask about the job itself. */
const ownFacts = ({ name, stage, environment }: JobConfig): ConfigVariable[] => [
  { key: 'CI_JOB_NAME', value: name, raw: true },
  { key: 'CI_JOB_STAGE', value: stage, raw: true },
  ...(environment ? [{ key: 'CI_ENVIRONMENT_NAME', value: environment.name, raw: false }] : []),
];

const inheritedVariables = (
  globals: readonly ConfigVariable[],
  inherit: boolean | string[],
): readonly ConfigVariable[] =>
  typeof inherit === 'boolean'
    ? globals.slice(0, inherit ? undefined : 0)
    : globals.filter(({ key }) => inherit.includes(key));

/** Of several with one key the last counts, in the place of the first. */
export const lastOfEach = (variables: readonly ConfigVariable[]): ConfigVariable[] => [
  ...new Map(variables.map((variable) => [variable.key, variable])).values(),
];
