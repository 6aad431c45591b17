import { nullable } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';

const texts = Type.Array(Type.String());

const Variable = Type.Object({
  key: Type.String(),
  value: Type.String(),
  public: Type.Boolean(),
  masked: Type.Boolean(),
  file: Type.Optional(Type.Boolean()),
  raw: Type.Optional(Type.Boolean()),
});

const Image = Type.Object(
  {
    name: Type.String(),
    alias: nullable(Type.String()),
    entrypoint: nullable(texts),
    command: nullable(texts),
    ports: Type.Array(Type.Unknown()),
    pull_policy: nullable(texts),
    executor_opts: Type.Object({ docker: Type.Optional(Type.Unknown()) }),
    variables: Type.Array(
      Type.Object({
        key: Type.String(),
        value: Type.String(),
        public: Type.Boolean(),
        raw: Type.Boolean(),
      }),
    ),
  },
  { $id: 'JobRequestImage' },
);

const JobInfo = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  stage: Type.String(),
  pipeline_id: Type.Integer(),
  project_id: Type.Integer(),
  project_name: Type.String(),
  project_full_path: Type.String(),
  namespace_id: Type.Integer(),
  root_namespace_id: Type.Integer(),
  user_id: Type.Integer(),
  time_in_queue_seconds: Type.Integer(),
  project_jobs_running_on_instance_runners_count: Type.String(),
});

const GitInfo = Type.Object({
  repo_url: Type.String(),
  repo_object_format: Type.String(),
  ref: Type.String(),
  sha: Type.String(),
  before_sha: Type.String(),
  ref_type: Type.String(),
  refspecs: texts,
  depth: Type.Integer(),
  protected: Type.Boolean(),
});

const Step = Type.Object({
  name: Type.String(),
  script: texts,
  timeout: Type.Integer(),
  when: Type.String(),
  allow_failure: Type.Boolean(),
});

const Upload = Type.Object({
  name: Type.Optional(Type.String()),
  untracked: Type.Optional(Type.Boolean()),
  paths: texts,
  exclude: Type.Optional(texts),
  when: Type.String(),
  expire_in: Type.Optional(Type.String()),
  artifact_type: Type.String(),
  artifact_format: Type.String(),
});

const Cache = Type.Object({
  key: Type.String(),
  untracked: Type.Boolean(),
  paths: texts,
  policy: Type.String(),
  when: Type.String(),
  fallback_keys: texts,
});

const Dependency = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  token: Type.String(),
  artifacts_file: Type.Optional(Type.Object({ filename: Type.String(), size: Type.Integer() })),
});

/** What a runner is given to do. */
export const JobRequest = Type.Object(
  {
    id: Type.Integer(),
    token: Type.String(),
    allow_git_fetch: Type.Boolean(),
    job_info: JobInfo,
    git_info: GitInfo,
    runner_info: Type.Object({ timeout: Type.Integer(), runner_session_url: Type.Null() }),
    variables: Type.Array(Variable),
    steps: Type.Array(Step),
    image: nullable(Image),
    services: Type.Array(Image),
    artifacts: nullable(Type.Array(Upload)),
    cache: Type.Array(Cache),
    credentials: Type.Array(Type.Unknown()),
    dependencies: Type.Array(Dependency),
    hooks: Type.Array(Type.Object({ name: Type.String(), script: texts })),
    features: Type.Object({
      trace_sections: Type.Boolean(),
      token_mask_prefixes: texts,
      failure_reasons: texts,
    }),
  },
  { $id: 'JobRequest' },
);
