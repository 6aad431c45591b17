create table pipeline_counters (
  project_id bigint primary key references projects (id) on delete cascade,
  last_iid bigint not null
);

create table pipelines (
  id {{id}},
  iid bigint not null,
  project_id bigint not null references projects (id) on delete cascade,
  name text,
  sha text not null,
  before_sha text,
  ref text not null,
  tag integer not null default 0,
  source text not null,
  status text not null default 'created',
  user_id bigint references users (id) on delete set null,
  yaml_errors text,
  duration bigint,
  created_at bigint not null,
  updated_at bigint not null,
  started_at bigint,
  finished_at bigint
);
create unique index pipelines_iid on pipelines (project_id, iid);
create index pipelines_project on pipelines (project_id, id);
create index pipelines_status on pipelines (project_id, status, id);
create index pipelines_ref on pipelines (project_id, ref, id);
create index pipelines_sha on pipelines (project_id, sha, id);
create index pipelines_source on pipelines (project_id, source, id);
create index pipelines_name on pipelines (project_id, name, id);
create index pipelines_updated on pipelines (project_id, updated_at, id);
create index pipelines_user on pipelines (project_id, user_id, id);
create index pipelines_by_user on pipelines (user_id);

create table jobs (
  id {{id}},
  kind text not null,
  project_id bigint not null references projects (id) on delete cascade,
  pipeline_id bigint not null references pipelines (id) on delete cascade,
  name text not null,
  stage text not null,
  stage_idx bigint not null,
  ref text not null,
  tag integer not null default 0,
  status text not null default 'created',
  description text,
  target_url text,
  coverage double precision,
  allow_failure integer not null default 0,
  user_id bigint references users (id) on delete set null,
  retried integer not null default 0,
  failure_reason text,
  created_at bigint not null,
  updated_at bigint not null,
  queued_at bigint,
  started_at bigint,
  finished_at bigint
);
create index jobs_pipeline on jobs (pipeline_id, id);
create index jobs_name on jobs (pipeline_id, name, id);
create index jobs_project on jobs (project_id, kind, id);
create index jobs_status on jobs (project_id, kind, status, id);
create index jobs_user on jobs (user_id);
