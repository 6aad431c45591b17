import type { Rule } from '../config.ts';
import type { JobWhen } from '../plan.ts';
import { isList, isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { autoCancelOf } from './auto-cancel.ts';
import { conditionOf } from './condition.ts';
import { needsOf } from './needs.ts';
import { durationOf, flagOf, flatten, isTexts, refuseUnknown, textOf } from './values.ts';
import { variablesOf } from './variables.ts';

const WEEK = 7 * 24 * 3600;
const MAX_GLOBS = 50;
const CONDITIONS = ['if', 'changes', 'exists'];

/** Where rules stand decides what they may say. */
export interface RulesKind {
  keys: readonly string[];
  when: readonly (JobWhen | 'never')[];
}

export const JOB_RULES: RulesKind = {
  keys: [
    ...CONDITIONS,
    ...['when', 'start_in', 'allow_failure', 'variables', 'needs', 'interruptible', 'auto_cancel'],
  ],
  when: ['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed'],
};
export const WORKFLOW_RULES: RulesKind = {
  keys: [...CONDITIONS, 'when', 'variables', 'auto_cancel'],
  when: ['always', 'never'],
};
export const INCLUDE_RULES: RulesKind = { keys: [...CONDITIONS, 'when'], when: ['always', 'never'] };

/** The `rules` of what is at this place; null where there are none. */
export function rulesOf(at: At, value: Yaml | undefined, kind: RulesKind): Rule[] | null {
  if (value === undefined || value === null) return null;
  const list = isList(value) ? flatten(value) : null;
  if (!list) return at.fail('rules should be an array containing hashes and arrays of hashes');
  const inside = at.in('rules').in('rule');
  return list.flatMap((each) => rule(inside, each, kind) ?? []);
}

function rule(at: At, value: Yaml, kind: RulesKind): Rule | null {
  if (!isMap(value)) return at.fail('config should be a hash');
  if (value.size === 0) return at.fail("config can't be blank");
  refuseUnknown(at, value, kind.keys);
  return { ...conditionsOf(at, value), ...outcomeOf(at, value, kind) };
}

function conditionsOf(at: At, map: YamlMap): Pick<Rule, 'if' | 'changes' | 'exists'> {
  const condition = map.get('if');
  return {
    if: condition === undefined || condition === null ? null : conditionOf(at, 'if', condition),
    changes: changesOf(at, map.get('changes')),
    exists: existsOf(at, map.get('exists')),
  };
}

function outcomeOf(at: At, map: YamlMap, kind: RulesKind): Omit<Rule, 'if' | 'changes' | 'exists'> {
  const when = whenOf(at, map.get('when'), kind);
  return {
    when,
    startIn: startInOf(at, when, map.get('start_in')),
    allowFailure: flagOf(at, 'allow failure', map.get('allow_failure')),
    variables: variablesOf(at.in('variables'), map.get('variables')),
    needs: needsOf(at.in('needs'), map.get('needs'), 'build')?.needs ?? null,
    interruptible: flagOf(at, 'interruptible', map.get('interruptible')),
    autoCancel: map.has('auto_cancel') ? autoCancelOf(at.in('auto_cancel'), map.get('auto_cancel')) : null,
  };
}

function whenOf(at: At, value: Yaml | undefined, kind: RulesKind): Rule['when'] {
  if (value === undefined || value === null) return null;
  return kind.when.find((each) => each === value) ?? at.fail(`when unknown value: ${shown(value)}`);
}

/** What stands with `delayed`, in rules and in jobs alike. */
export function startInOf(at: At, when: Rule['when'], value: Yaml | undefined): number | null {
  const isGiven = value !== undefined && value !== null;
  if (when !== 'delayed') return isGiven ? at.fail('start in must be blank') : null;
  return isGiven
    ? durationOf(at, { name: 'start in', value, most: WEEK })
    : at.fail('start in should be a duration');
}

/** Paths of `changes`, as a list or with what they are compared with. */
export function changesOf(at: At, value: Yaml | undefined): Rule['changes'] {
  if (value === undefined || value === null) return null;
  if (!isMap(value)) {
    const paths = globsOf(at, 'changes', value);
    return paths && { paths, compareTo: null };
  }
  refuseUnknown(at.in('changes'), value, ['paths', 'compare_to']);
  const paths = globsOf(at.in('changes'), 'paths', value.get('paths') ?? null);
  const compareTo = textOf(at.in('changes'), 'compare to', value.get('compare_to'));
  return paths && { paths, compareTo };
}

/** Globs of `exists`, as a list or with the project whose files they are of. */
function existsOf(at: At, value: Yaml | undefined): Rule['exists'] {
  if (value === undefined || value === null) return null;
  if (!isMap(value)) {
    const globs = globsOf(at, 'exists', value);
    return globs && { globs, elsewhere: null };
  }
  const inside = at.in('exists');
  refuseUnknown(inside, value, ['paths', 'project', 'ref']);
  const globs = globsOf(inside, 'paths', value.get('paths') ?? null);
  const project = textOf(inside, 'project', value.get('project'));
  const ref = textOf(inside, 'ref', value.get('ref'));
  if (ref !== null && project === null) inside.fail('project must be specified when using ref');
  return globs && { globs, elsewhere: project === null ? null : { project, ref } };
}

function globsOf(at: At, name: string, value: Yaml): string[] | null {
  const list = isList(value) ? flatten(value) : null;
  if (!isTexts(list ?? undefined)) return at.fail(`${name} should be an array of strings`);
  const globs = list as string[];
  if (globs.length > MAX_GLOBS) return at.fail(`${name} is too long (maximum is ${MAX_GLOBS} entries)`);
  return globs;
}

const shown = (value: Yaml): string => (typeof value === 'object' ? 'a structure' : String(value));
