import { fail } from '../../platform/errors.ts';
import type { ConfigVariable } from '../config/plan.ts';
import type { PipelineRow } from '../tables.ts';
import { keyProblems } from '../variables/change.ts';
import { createPipelineFor } from './create.ts';
import { findTarget } from './find-target.ts';
import { type CreationDeps, isRefused, type PipelineRequest, type Refusal } from './request.ts';
import { refusalOfRef } from './rights.ts';

/** A pipeline that somebody asks for by the name of a branch or tag. */
export interface Asked extends Omit<PipelineRequest, 'ref' | 'tag' | 'sha'> {
  ref: string;
}

/** Begins a pipeline at the newest commit of a branch or tag, if the actor may run one there. */
export async function beginAt(deps: CreationDeps, asked: Asked): Promise<PipelineRow | Refusal> {
  const target = await findTarget(deps.core, asked.project, asked.ref);
  if ('refused' in target) return target;
  const forbidden = await refusalOfRef(deps.core, target, asked.actor);
  if (forbidden !== null) return { refused: 'forbidden', messages: [forbidden] };
  return createPipelineFor(deps, { ...asked, ...target });
}

/** The pipeline, or GitLab's 400. */
export function demandPipeline(result: PipelineRow | Refusal): PipelineRow {
  if (isRefused(result)) throw fail.invalid({ base: result.messages });
  return result;
}

export interface GivenVariable {
  key: string;
  value?: string | null | undefined;
  variable_type?: 'env_var' | 'file' | null | undefined;
  raw?: boolean | null | undefined;
}

/** What a caller gives a pipeline along. Throws 400 for names that no variable can have and for one that comes twice. */
export function checkedVariables(given: readonly GivenVariable[] | null | undefined): ConfigVariable[] {
  const seen = new Set<string>();
  const problems: string[] = [];
  for (const { key } of given ?? []) {
    problems.push(...keyProblems(key).map((problem) => `Variables key ${problem}`));
    if (seen.has(key)) problems.push(`Duplicate variable name: ${key.slice(0, 255)}`);
    seen.add(key);
  }
  if (problems.length > 0) throw fail.invalid({ base: [...new Set(problems)] });
  return (given ?? []).map(({ key, value, variable_type: type, raw }) => ({
    key,
    value: value ?? '',
    raw: raw ?? false,
    ...(type != null && { type }),
  }));
}
