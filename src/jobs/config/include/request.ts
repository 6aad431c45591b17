import { ConfigError } from '../merge/config-error.ts';
import { isList, isMap, type Yaml, type YamlMap } from '../yaml/value.ts';

/** One thing that `include` asks for. */
export type IncludeRequest = { rules: Yaml | undefined; inputs: YamlMap } & (
  | { kind: 'local'; path: string }
  | { kind: 'file'; project: string; ref: string | null; paths: string[] }
  | { kind: 'remote'; url: string }
  | { kind: 'template'; name: string }
);

const ACCESSORS = ['local', 'remote', 'template', 'component', 'artifact', 'file'];

/** What an `include` asks for, in order. Throws ConfigError in GitLab's words. */
export function requestsOf(value: Yaml | undefined): IncludeRequest[] {
  if (value === undefined || value === null) return [];
  return (isList(value) ? value.flat() : [value]).map(requestOf);
}

function requestOf(value: Yaml): IncludeRequest {
  if (typeof value === 'string') return named(value);
  if (!isMap(value)) throw new ConfigError('include config should be a string, a hash or an array of them');
  const accessors = ACCESSORS.filter((key) => value.has(key));
  if (accessors.length !== 1)
    throw new ConfigError(`Include \`${shown(value)}\` needs to match exactly one accessor!`);
  const common = { rules: value.get('rules'), inputs: inputsOf(value) };
  switch (accessors[0]) {
    case 'local':
      return { kind: 'local', path: text(value, 'local'), ...common };
    case 'remote':
      return { kind: 'remote', url: text(value, 'remote'), ...common };
    case 'template':
      return { kind: 'template', name: text(value, 'template'), ...common };
    case 'file':
      return { ...fileRequest(value), ...common };
    default:
      throw new ConfigError(
        `Include \`${shown(value)}\` is not supported: only local, project and template files`,
      );
  }
}

/** A bare text is a file of this project, or an address. */
const named = (written: string): IncludeRequest =>
  /^https?:\/\//i.test(written)
    ? { kind: 'remote', url: written, rules: undefined, inputs: new Map() }
    : { kind: 'local', path: written, rules: undefined, inputs: new Map() };

function fileRequest(map: YamlMap) {
  const file = map.get('file');
  const paths = isList(file) ? file : [file ?? null];
  if (!paths.every((path) => typeof path === 'string' && path !== ''))
    throw new ConfigError(`Include \`${shown(map)}\` needs file to be a string or an array of strings`);
  if (!map.has('project'))
    throw new ConfigError(`Include \`${shown(map)}\` needs to match exactly one accessor!`);
  const ref = map.get('ref');
  return {
    kind: 'file' as const,
    project: text(map, 'project'),
    ref: ref === undefined || ref === null ? null : text(map, 'ref'),
    paths: paths as string[],
  };
}

function inputsOf(map: YamlMap): YamlMap {
  const inputs = map.get('inputs') ?? null;
  if (inputs === null) return new Map();
  if (isMap(inputs)) return inputs;
  throw new ConfigError(`Include \`${shown(map)}\`: inputs should be a hash`);
}

function text(map: YamlMap, key: string): string {
  const value = map.get(key);
  if (typeof value !== 'string' || value === '')
    throw new ConfigError(`Include \`${shown(map)}\`: ${key} should be a string`);
  return value;
}

const MAX_SHOWN = 200;

const shown = (map: YamlMap): string =>
  JSON.stringify(Object.fromEntries([...map].map(([key, value]) => [key, plain(value)]))).slice(0, MAX_SHOWN);

const plain = (value: Yaml) => (isList(value) ? value.filter((each) => typeof each === 'string') : value);
