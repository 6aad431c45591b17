import { plain } from '../inputs/types.ts';
import type { TriggerPlan } from '../plan.ts';
import { isList, isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { flagOf, hashOf, isTexts, refuseUnknown, requiredText, textOf } from './values.ts';

type Include = TriggerPlan['include'][number];

const PROJECT_KEYS = ['project', 'branch', 'strategy', 'forward', 'inputs'];
const CHILD_KEYS = ['include', 'strategy', 'forward'];
const MAX_INCLUDES = 3;
const FORWARD_ALL = { yamlVariables: true, pipelineVariables: false };

/** `trigger`, which is there. */
export function triggerOf(at: At, value: Yaml): TriggerPlan | null {
  if (typeof value === 'string' && value !== '') return { ...NOTHING, project: value };
  if (value === '') return at.fail("config can't be blank");
  if (!isMap(value)) return at.fail('has to be either a string or a hash');
  const isChild = value.has('include');
  refuseUnknown(at, value, isChild ? CHILD_KEYS : PROJECT_KEYS);
  return {
    project: isChild ? null : requiredText(at, 'project', value.get('project')),
    branch: textOf(at, 'branch', value.get('branch')),
    strategy: strategyOf(at, value.get('strategy')),
    include: isChild ? includesOf(at.in('include'), value.get('include') ?? null) : [],
    forward: forwardOf(at.in('forward'), value.get('forward')),
    ...inputsOf(at, value),
  };
}

function strategyOf(at: At, value: Yaml | undefined): TriggerPlan['strategy'] {
  if (value === undefined || value === null) return null;
  const found = (['depend', 'mirror'] as const).find((each) => each === value);
  return found ?? at.fail('strategy should be depend or mirror');
}

const NOTHING: TriggerPlan = {
  project: null,
  branch: null,
  strategy: null,
  include: [],
  forward: FORWARD_ALL,
};

function forwardOf(at: At, value: Yaml | undefined): TriggerPlan['forward'] {
  if (value === undefined || value === null) return FORWARD_ALL;
  const map = hashOf(at, value, ['yaml_variables', 'pipeline_variables']);
  return {
    yamlVariables: flagOf(at, 'yaml variables', map?.get('yaml_variables')) ?? true,
    pipelineVariables: flagOf(at, 'pipeline variables', map?.get('pipeline_variables')) ?? false,
  };
}

function includesOf(at: At, value: Yaml): Include[] {
  const list = isList(value) ? value : [value];
  if (list.length === 0) at.fail("config can't be blank");
  if (list.length > MAX_INCLUDES) at.fail(`config is too long (maximum is ${MAX_INCLUDES})`);
  return list.flatMap((each) => includeOf(at, each) ?? []);
}

function includeOf(at: At, value: Yaml): Include | Include[] | null {
  if (typeof value === 'string' && value !== '') return { local: value };
  if (!isMap(value)) return at.fail('config should be a hash or a string');
  if (value.has('local')) return localOf(at, value);
  if (value.has('artifact')) return artifactOf(at, value);
  if (value.has('project') || value.has('file')) return filesOf(at, value);
  return at.fail('config must specify the file where to fetch the config from');
}

function localOf(at: At, map: YamlMap): Include {
  refuseUnknown(at, map, ['local', 'inputs']);
  return { local: requiredText(at, 'local', map.get('local')), ...inputsOf(at, map) };
}

function artifactOf(at: At, map: YamlMap): Include | null {
  refuseUnknown(at, map, ['artifact', 'job', 'inputs']);
  if (!map.has('job')) return at.fail('config must specify the job where to fetch the artifact from');
  return {
    artifact: requiredText(at, 'artifact', map.get('artifact')),
    job: requiredText(at, 'job', map.get('job')),
    ...inputsOf(at, map),
  };
}

function filesOf(at: At, map: YamlMap): Include[] | null {
  refuseUnknown(at, map, ['project', 'ref', 'file', 'inputs']);
  if (!map.has('file')) return at.fail('config must specify the file where to fetch the config from');
  const project = requiredText(at, 'project', map.get('project'));
  const ref = textOf(at, 'ref', map.get('ref'));
  const file = map.get('file');
  const inputs = inputsOf(at, map);
  if (!isTexts(file)) return [{ project, ref, file: requiredText(at, 'file', file), ...inputs }];
  return file.map((each) => ({ project, ref, file: each, ...inputs }));
}

/** Whether they fit is for the file to say that gets them. */
function inputsOf(at: At, map: YamlMap): { inputs?: Record<string, unknown> } {
  const value = map.get('inputs') ?? null;
  const inputs = value === null ? null : hashOf(at.in('inputs'), value);
  return inputs ? { inputs: plain(inputs) as Record<string, unknown> } : {};
}
