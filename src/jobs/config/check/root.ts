import type { Breath } from '../breath.ts';
import type { CiConfig, JobConfig } from '../config.ts';
import { isList, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { type Defaults, defaultsOf, TOP_DEFAULT_KEYS } from './defaults.ts';
import { jobOf } from './job.ts';
import { flatten, isTexts } from './values.ts';
import { variablesOf } from './variables.ts';
import { workflowOf } from './workflow.ts';

const KEYS: readonly string[] = [
  'default',
  'include',
  'stages',
  'variables',
  'workflow',
  ...TOP_DEFAULT_KEYS,
];
const STAGES = ['build', 'test', 'deploy'];
/** Of all jobs together: each has those of its `before_script`, which may be a default. */
const MAX_LINES = 500_000;
/** Global variables times jobs: each job's rules look at all of them. */
const MAX_INHERITED = 5_000_000;
const MAX_STAGE_NAME = 255;
const FIRST = '.pre';
const LAST = '.post';

/** The whole file, merged: every key checked by itself. What refers to what is checked by `checkLinks`. */
export async function rootOf(at: At, root: YamlMap, breath: Breath): Promise<CiConfig> {
  const defaults = defaultsOf(at, root);
  const config: CiConfig = {
    stages: stagesOf(at.in('stages'), root.get('stages')),
    variables: variablesOf(at.in('variables'), root.get('variables'), { described: true }) ?? [],
    workflow: workflowOf(at.in('workflow'), root.get('workflow')),
    jobs: [],
  };
  config.jobs = await jobsOf(at.in('jobs'), { root, defaults, breath });
  if (config.variables.length * config.jobs.length > MAX_INHERITED)
    at.in('variables').fail('config has too many variables for so many jobs');
  if (config.workflow.rules === null) for (const job of config.jobs) warnOfTwoPipelines(at, job);
  return config;
}

function stagesOf(at: At, value: Yaml | undefined): string[] {
  const list = isList(value) ? (flatten(value) ?? undefined) : undefined;
  const given: readonly string[] = isTexts(list) ? list : STAGES;
  if (value !== undefined && value !== null && !isTexts(list))
    at.fail('config should be an array of strings or a nested array of strings up to 10 levels deep');
  if (given.some((stage) => stage.length > MAX_STAGE_NAME))
    at.fail(`config has a name that is too long (maximum is ${MAX_STAGE_NAME} characters)`);
  const between = [...new Set(given)].filter((stage) => stage !== FIRST && stage !== LAST);
  return [FIRST, ...between, LAST];
}

async function jobsOf(
  at: At,
  { root, defaults, breath }: { root: YamlMap; defaults: Defaults; breath: Breath },
): Promise<JobConfig[]> {
  const jobs: JobConfig[] = [];
  let lines = 0;
  const visible = [...root].filter(([name]) => !name.startsWith('.') && !KEYS.includes(name));
  for (const [name, value] of visible) {
    const job = jobOf(at, name, value, defaults);
    if (job) jobs.push(job);
    lines += job?.definition.script.length ?? 0;
    if (lines > MAX_LINES) {
      at.fail(`config has too many lines of scripts (maximum is ${MAX_LINES})`);
      break;
    }
    await breath.take();
  }
  if (jobs.length === 0) at.fail('config should contain at least one visible job');
  return jobs;
}

/** A last rule that always holds runs a job for a branch and for its merge request alike. */
function warnOfTwoPipelines(at: At, { name, rules }: JobConfig): void {
  const last = rules?.at(-1);
  if (!last?.when || last.when === 'never' || saysMoreThanWhen(last)) return;
  at.problems.warnings.push(
    `jobs:${name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no ` +
      '`workflow:rules` - read more: https://docs.gitlab.com/ee/ci/troubleshooting.html#pipeline-warnings',
  );
}

const saysMoreThanWhen = ({ when: _, ...others }: NonNullable<JobConfig['rules']>[number]): boolean =>
  Object.values(others).some((value) => value !== null);
