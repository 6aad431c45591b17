import { nullable } from '../../../platform/http/params.ts';
import { type Static, Type } from '../../../platform/http/schema.ts';
import type { CiConfig, JobConfig, Policy } from '../config.ts';
import type { JobPlan } from '../plan.ts';
import { DEFAULT_REFS } from '../planning/policies.ts';
import type { IncludedFile } from '../source.ts';

const Texts = Type.Array(Type.String());

const LintPolicy = Type.Object(
  {
    refs: Type.Optional(Texts),
    variables: Type.Optional(Texts),
    changes: Type.Optional(Texts),
    kubernetes: Type.Optional(Type.String()),
  },
  { $id: 'LintPolicy' },
);

const LintJob = Type.Object(
  {
    name: Type.String(),
    stage: Type.String(),
    before_script: Texts,
    script: Texts,
    after_script: Texts,
    tag_list: Texts,
    environment: nullable(Type.String()),
    when: Type.String(),
    allow_failure: Type.Boolean(),
    needs: nullable(Type.Array(Type.Object({ name: Type.String(), artifacts: Type.Boolean() }))),
    only: Type.Optional(nullable(LintPolicy)),
    except: Type.Optional(nullable(LintPolicy)),
  },
  { $id: 'LintJob' },
);

const LintInclude = Type.Object(
  {
    type: Type.String(),
    location: Type.String(),
    blob: nullable(Type.String()),
    raw: nullable(Type.String()),
    extra: Type.Object({ project: Type.Optional(Type.String()), ref: Type.Optional(Type.String()) }),
    context_project: Type.String(),
    context_sha: Type.String(),
  },
  { $id: 'LintInclude' },
);

/** What there is to say of a configuration. */
export const LintResult = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Texts,
    warnings: Texts,
    merged_yaml: nullable(Type.String()),
    includes: Type.Array(LintInclude),
    jobs: Type.Optional(Type.Array(LintJob)),
  },
  { $id: 'LintResult' },
);

export type LintJobEntity = Static<typeof LintJob>;

export function presentInclude(file: IncludedFile, baseUrl: string): Static<typeof LintInclude> {
  const path = file.location.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/');
  const isOfProject = file.type === 'local' || file.type === 'file';
  const elsewhere = file.type === 'remote' ? file.location : null;
  const address = (kind: string) => `${baseUrl}/${file.project}/-/${kind}/${file.sha}/${path}`;
  return {
    type: file.type,
    location: file.location,
    blob: isOfProject ? address('blob') : null,
    raw: isOfProject ? address('raw') : elsewhere,
    extra: file.extra,
    context_project: file.contextProject,
    context_sha: file.contextSha,
  };
}

/** The jobs of the file, whichever of them a pipeline would have. */
export const presentJobs = ({ jobs, workflow }: CiConfig): LintJobEntity[] =>
  jobs.map((job) => ({
    ...whatRuns(job),
    name: job.name,
    when: job.when ?? 'on_success',
    allow_failure: job.allowFailure ?? job.when === 'manual',
    needs: job.needs?.map(({ job: name, artifacts }) => ({ name, artifacts })) ?? null,
    only:
      job.rules || (workflow.rules && !job.only) ? null : presentPolicy(job.only ?? ANY_REF, DEFAULT_REFS),
    except: job.except && presentPolicy(job.except),
  }));

/** The jobs that a pipeline has. */
export const presentPlan = (planned: readonly { plan: JobPlan; job: JobConfig }[]): LintJobEntity[] =>
  planned.map(({ plan, job }) => ({
    ...whatRuns(job),
    name: plan.name,
    when: plan.when,
    allow_failure: plan.allowFailure,
    needs: plan.scheduling === 'dag' ? plan.needs : null,
  }));

function whatRuns({ stage, tags, environment, definition, linesBefore }: JobConfig) {
  return {
    stage,
    before_script: definition.script.slice(0, linesBefore),
    script: definition.script.slice(linesBefore),
    after_script: definition.afterScript,
    tag_list: [...tags].sort(),
    environment: environment?.name ?? null,
  };
}

const ANY_REF: Policy = { refs: null, variables: null, changes: null, kubernetes: false };

function presentPolicy(policy: Policy, defaultRefs?: readonly string[]): Static<typeof LintPolicy> {
  const refs = policy.refs ?? defaultRefs;
  return {
    ...(refs && { refs: [...refs] }),
    ...(policy.variables && { variables: policy.variables.map(({ text }) => text) }),
    ...(policy.changes && { changes: policy.changes }),
    ...(policy.kubernetes && { kubernetes: 'active' }),
  };
}
