import assert from 'node:assert/strict';
import { existsIn } from '../exists.ts';
import { yamlOf } from '../inputs/types.ts';
import { ConfigError } from '../merge/config-error.ts';
import type { JobPlan, PipelinePlan, PlanContext } from '../plan.ts';
import { isRefusal, planPipeline } from '../plan-pipeline.ts';
import { readConfig } from '../read-config.ts';
import type { ConfigPlace, ConfigResult, PlanRefusal } from '../source.ts';
import type { YamlMap } from '../yaml/value.ts';
import { YamlReader } from '../yaml/yaml.ts';

/** Files by path, in projects by their full paths. */
export type Projects = Record<string, Record<string, string>>;

export interface Situation {
  /** Of `group/project`, beside the configuration itself. */
  files?: Record<string, string>;
  /** Other projects that may be read. */
  projects?: Projects;
  variables?: Record<string, string>;
  /** Names of variables. */
  masked?: string[];
  /** For those of the configuration. */
  inputs?: Record<string, unknown>;
  source?: PlanContext['source'];
  ref?: string;
  tag?: boolean;
  mergeRequest?: boolean;
  changed?: string[] | null;
}

const HOME = 'group/project';
const SHA = 'a'.repeat(40);

/** What only reads files needs no repository: a place of configurations in memory. */
export function memoryPlace(projects: Projects, project = HOME): ConfigPlace {
  const files = new Map(Object.entries(projects[project] ?? {}));
  return {
    project,
    sha: SHA,
    read: async (path) => files.get(path) ?? null,
    match: async ({ matches }) => [...files.keys()].filter(matches).sort(),
    remote: async (_url, written) => {
      throw new ConfigError(`Remote file \`${written}\` could not be fetched because there is no network`);
    },
    other: async (name, ref) => {
      if (!projects[name]) return 'unknown project';
      return ref === 'gone' ? 'unknown ref' : memoryPlace(projects, name);
    },
  };
}

function contextOf(situation: Situation, place: ConfigPlace): PlanContext {
  const { source = 'push', ref = 'main', tag = false, mergeRequest = false, changed = null } = situation;
  return {
    source,
    ref,
    tag,
    mergeRequest,
    variables: new Map(
      Object.entries({ CI_PROJECT_PATH: HOME, CI_COMMIT_REF_NAME: ref, ...situation.variables }),
    ),
    written: new Map(
      Object.entries(situation.variables ?? {}).map(([key, value]) => {
        return [key, { value, masked: situation.masked?.includes(key) ?? false }];
      }),
    ),
    changedPaths: async () => changed,
    exists: existsIn(place),
  };
}

export const yaml = new YamlReader();

export async function read(content: string, situation: Situation = {}): Promise<ConfigResult> {
  const place = memoryPlace({ ...situation.projects, [HOME]: situation.files ?? {} });
  const inputs = yamlOf(situation.inputs ?? {}) as YamlMap;
  return readConfig({ content, place, context: contextOf(situation, place), inputs }, yaml);
}

export async function planOrRefusal(
  content: string,
  situation: Situation = {},
): Promise<PipelinePlan | PlanRefusal> {
  const { config, errors } = await read(content, situation);
  assert.ok(config, errors.join('\n'));
  const place = memoryPlace({ ...situation.projects, [HOME]: situation.files ?? {} });
  return planPipeline(config, contextOf(situation, place));
}

export async function plan(content: string, situation: Situation = {}): Promise<PipelinePlan> {
  const result = await planOrRefusal(content, situation);
  assert.ok(!isRefusal(result), 'message' in result ? result.message : '');
  return result;
}

/** The jobs of the plan by name. */
export async function jobs(content: string, situation: Situation = {}): Promise<Record<string, JobPlan>> {
  const planned = await plan(content, situation);
  return Object.fromEntries(planned.jobs.map((job) => [job.name, job]));
}

export async function names(content: string, situation: Situation = {}): Promise<string[]> {
  const result = await planOrRefusal(content, situation);
  return isRefusal(result) ? [] : result.jobs.map(({ name }) => name);
}

export const errorsOf = async (content: string, situation: Situation = {}): Promise<string[]> =>
  (await read(content, situation)).errors;
