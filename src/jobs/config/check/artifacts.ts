import type { ArtifactsPlan } from '../plan.ts';
import type { Yaml, YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { flagOf, hashOf, lastingSeconds, oneOf, textOf, textOrTexts, textsOf } from './values.ts';

const KEYS = [
  ...[
    'name',
    'untracked',
    'paths',
    'reports',
    'when',
    'expire_in',
    'expose_as',
    'exclude',
    'public',
    'access',
  ],
];
const REPORTS = [
  ...['junit', 'browser_performance', 'codequality', 'sast', 'secret_detection', 'dependency_scanning'],
  ...['container_scanning', 'dast', 'performance', 'license_scanning', 'load_performance', 'metrics', 'lsif'],
  ...['dotenv', 'terraform', 'accessibility', 'coverage_fuzzing', 'api_fuzzing', 'cluster_image_scanning'],
  ...['requirements', 'requirements_v2', 'cyclonedx', 'coverage_report', 'repository_xray', 'annotations'],
];
const WHEN = ['on_success', 'on_failure', 'always'] as const;
const ACCESS = ['all', 'developer', 'maintainer', 'none'] as const;
const EXPOSE_AS = /^\w[-\w ]{0,99}$/;

/** `artifacts`; null where there are none. */
export function artifactsOf(at: At, value: Yaml | undefined): ArtifactsPlan | null {
  if (value === undefined || value === null) return null;
  const map = hashOf(at, value, KEYS);
  if (!map) return null;
  return {
    name: textOf(at, 'name', map.get('name')),
    paths: textsOf(at, 'paths', map.get('paths')) ?? [],
    exclude: textsOf(at, 'exclude', map.get('exclude')) ?? [],
    untracked: flagOf(at, 'untracked', map.get('untracked')) ?? false,
    when: oneOf(at, { name: 'when', value: map.get('when'), allowed: WHEN }) ?? 'on_success',
    expireIn: expireInOf(at, map.get('expire_in')),
    access: accessOf(at, map),
    exposeAs: exposeAsOf(at, map),
    reports: reportsOf(at.in('reports'), map.get('reports')),
  };
}

function expireInOf(at: At, value: Yaml | undefined): string | null {
  if (value === undefined || value === null) return null;
  const isReadable = typeof value === 'string' && (value === 'never' || lastingSeconds(value) !== null);
  return isReadable ? value : at.fail('expire in should be a duration');
}

function accessOf(at: At, map: YamlMap): ArtifactsPlan['access'] {
  const open = flagOf(at, 'public', map.get('public'));
  const access = oneOf(at, { name: 'access', value: map.get('access'), allowed: ACCESS });
  if (open !== null && access !== null) at.fail('these keys cannot be used together: access, public');
  return access ?? (open === false ? 'developer' : 'all');
}

function exposeAsOf(at: At, map: YamlMap): string | null {
  const name = textOf(at, 'expose as', map.get('expose_as'));
  if (name === null) return null;
  if (!EXPOSE_AS.test(name))
    at.fail("expose as can contain only letters, digits, '-', '_' and spaces, 100 of them at most");
  const paths = map.get('paths');
  if (!Array.isArray(paths) || paths.length === 0) at.fail("paths can't be blank");
  else if (paths.some((path) => typeof path === 'string' && path.includes('*')))
    at.fail("paths can't contain '*' when used with 'expose_as'");
  return name;
}

function reportsOf(at: At, value: Yaml | undefined): ArtifactsPlan['reports'] {
  if (value === undefined || value === null) return [];
  const map = hashOf(at, value, REPORTS);
  return [...(map ?? [])].flatMap(([type, content]) => report(at, type, content) ?? []);
}

function report(at: At, type: string, value: Yaml): ArtifactsPlan['reports'][number] | null {
  if (type === 'coverage_report') return coverageReport(at.in(type), value);
  const paths = textOrTexts(at, type.replaceAll('_', ' '), value);
  return paths && { type, paths };
}

function coverageReport(at: At, value: Yaml): ArtifactsPlan['reports'][number] | null {
  const map = hashOf(at, value, ['coverage_format', 'path']);
  if (!map) return null;
  const format = map.get('coverage_format');
  const path = textOf(at, 'path', map.get('path'));
  const type = (['cobertura', 'jacoco'] as const).find((each) => each === format);
  if (!type) at.fail('coverage format must be one of supported formats: cobertura, jacoco.');
  if (path === null && map.get('path') === undefined) at.fail("path can't be blank");
  return type && path !== null ? { type, paths: [path] } : null;
}
