import type { JobConfig, MatrixRow, Need } from '../config.ts';
import type { CrossNeed } from '../plan.ts';
import { isList, isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { matrixOf } from './parallel.ts';
import { flagOf, flatten, hashOf, refuseUnknown, requiredText, textOf } from './values.ts';

const JOB_KEYS = ['job', 'artifacts', 'optional', 'parallel'];
const PROJECT_KEYS = ['project', 'ref', 'job', 'artifacts'];
const PIPELINE_KEYS = ['pipeline', 'job', 'artifacts'];

export interface Needs {
  needs: Need[];
  cross: CrossNeed[];
}

/** `needs`; null where there are none. */
export function needsOf(at: At, value: Yaml | undefined, kind: JobConfig['kind']): Needs | null {
  if (value === undefined || value === null) return null;
  const list = isList(value) ? flatten(value) : isMap(value) ? [value] : null;
  if (!list) return at.fail('config can only be a hash or an array');
  const found: Needs = { needs: [], cross: [] };
  for (const each of list) need(at.in('need'), { value: each, kind, found });
  return found;
}

function need(at: At, { value, kind, found }: { value: Yaml; kind: JobConfig['kind']; found: Needs }): void {
  if (typeof value === 'string' && value !== '') found.needs.push(plainNeed(value));
  else if (!isMap(value)) at.fail('has an unsupported type');
  else if (value.has('project')) found.cross.push(crossProject(at, value));
  else if (value.has('pipeline')) found.cross.push(crossPipeline(at, value, kind));
  else found.needs.push(jobNeed(at, value));
}

const plainNeed = (job: string): Need => ({ job, artifacts: true, optional: false, matrix: null });

function jobNeed(at: At, map: YamlMap): Need {
  refuseUnknown(at, map, JOB_KEYS);
  return {
    job: requiredText(at, 'job', map.get('job')),
    artifacts: flagOf(at, 'artifacts', map.get('artifacts')) ?? true,
    optional: flagOf(at, 'optional', map.get('optional')) ?? false,
    matrix: copiesOf(at.in('parallel'), map.get('parallel')),
  };
}

function copiesOf(at: At, value: Yaml | undefined): MatrixRow[] | null {
  if (value === undefined || value === null) return null;
  const map = hashOf(at, value, ['matrix']);
  return map && matrixOf(at.in('matrix'), map.get('matrix') ?? null);
}

/** GitLab's word for one that is missing is that of one that is no text. */
const demandedText = (at: At, name: string, value: Yaml | undefined): string | null =>
  typeof value === 'string' ? value : at.fail(`${name} should be a string`);

function crossProject(at: At, map: YamlMap): CrossNeed {
  refuseUnknown(at, map, PROJECT_KEYS);
  return {
    project: requiredText(at, 'project', map.get('project')),
    ref: demandedText(at, 'ref', map.get('ref')),
    job: requiredText(at, 'job', map.get('job')),
    pipeline: null,
    artifacts: flagOf(at, 'artifacts', map.get('artifacts')) ?? true,
  };
}

/** Without a job it is a bridge that mirrors the other pipeline. */
function crossPipeline(at: At, map: YamlMap, kind: JobConfig['kind']): CrossNeed {
  refuseUnknown(at, map, PIPELINE_KEYS);
  return {
    project: null,
    ref: null,
    job: (kind === 'build' ? demandedText : textOf)(at, 'job', map.get('job')) ?? '',
    pipeline: requiredText(at, 'pipeline', map.get('pipeline')),
    artifacts: flagOf(at, 'artifacts', map.get('artifacts')) ?? true,
  };
}
