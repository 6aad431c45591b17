import { optional } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { JOB_STATUSES, type JobStatus } from '../states.ts';

const word = { type: 'string', enum: [...JOB_STATUSES] };

/** `scope=a`, `scope[]=a&scope[]=b` or a JSON list; checked by `scopeProblems`, read by `scopeOf`. */
export const scopeParam = optional(
  Type.Unsafe<unknown>({
    anyOf: [word, { type: 'array', items: word }],
    description: 'Only jobs in this state, or in one of these.',
  }),
);

interface ScopeOptions {
  /** `scope[x]=a` counts by its values: GitLab takes that in one of its lists only. */
  hash: boolean;
}

/** What is wrong with it, in GitLab's words; nothing where it was left out. */
export function scopeProblems(raw: Record<string, unknown>, options: ScopeOptions): string[] {
  const values = valuesOf(raw['scope'], options);
  if (values === null) return ['scope is invalid'];
  const known: readonly unknown[] = JOB_STATUSES;
  return values.every((value) => known.includes(value)) ? [] : ['scope does not have a valid value'];
}

/** The states asked for, each once; empty for all. */
export const scopeOf = (scope: unknown): JobStatus[] => [
  ...new Set((valuesOf(scope, { hash: true }) ?? []) as JobStatus[]),
];

/** Null where it is of a type that cannot be. */
function valuesOf(scope: unknown, { hash }: ScopeOptions): unknown[] | null {
  if (scope === undefined || scope === null || scope === '') return [];
  if (Array.isArray(scope)) return scope;
  if (typeof scope !== 'object') return [scope];
  return hash ? Object.values(scope) : null;
}
