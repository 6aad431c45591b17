import type { ReleasePlan } from '../../config/plan.ts';
import type { StoredDefinition } from '../../creation/stored-definition.ts';

export interface Step {
  name: 'script' | 'release' | 'after_script';
  script: string[];
  /** Seconds. */
  timeout: number;
  when: 'on_success' | 'always';
  allow_failure: boolean;
}

/** What the runner does one after the other; `after_script` whatever became of the others, and its end does not count. */
export function stepsOf(definition: StoredDefinition, timeout: number): Step[] {
  const { script, release, afterScript } = definition;
  const step = (name: Step['name'], lines: string[], always = false): Step => ({
    name,
    script: lines,
    timeout,
    when: always ? 'always' : 'on_success',
    allow_failure: always,
  });
  return [
    step('script', script),
    ...(release ? [step('release', [releaseCommand(release)])] : []),
    ...(afterScript.length > 0 ? [step('after_script', afterScript, true)] : []),
  ];
}

/** GitLab leaves the release to its own command line tool, which the job's machine must have. The shell fills in variables. */
function releaseCommand({ name, description, tagName, ref }: ReleasePlan): string {
  const options = { name, description, 'tag-name': tagName, ref };
  const given = Object.entries(options).filter(([, value]) => value !== null && value !== '');
  return ['release-cli create', ...given.map(([option, value]) => `--${option} ${quoted(value!)}`)].join(' ');
}

/** In double quotes, so that `$VARIABLES` work and nothing else of the shell does. */
const quoted = (text: string) => `"${text.replace(/["\\`]/g, '\\$&').replaceAll('$(', '\\$(')}"`;
