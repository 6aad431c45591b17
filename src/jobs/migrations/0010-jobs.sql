-- what a job of our own needs beside what an external status has
alter table jobs add column "when" text not null default 'on_success';
-- ms; when a delayed job is to begin
alter table jobs add column scheduled_at bigint;
-- 'stage': after all earlier stages; 'dag': after what it needs
alter table jobs add column scheduling text not null default 'stage';
alter table jobs add column protected integer not null default 0;
alter table jobs add column interruptible integer not null default 0;
alter table jobs add column resource_group text;
alter table jobs add column environment text;
-- sorted, as a JSON array of text
alter table jobs add column tags text not null default '[]';
-- seconds; what the job says, else what the project says, bounded by the runner once it is taken
alter table jobs add column timeout bigint;
alter table jobs add column exit_code bigint;
alter table jobs add column runner_id bigint;
alter table jobs add column runner_manager_id bigint;
alter table jobs add column erased_at bigint;
alter table jobs add column erased_by_id bigint;
alter table jobs add column artifacts_expire_at bigint;
create index jobs_project_name on jobs (project_id, kind, name, id);
create index jobs_project_ref on jobs (project_id, kind, ref, id);
create index jobs_project_created on jobs (project_id, kind, created_at, id);
create index jobs_runner on jobs (runner_id, id);
create index jobs_queue on jobs (id) where kind = 'build' and status = 'pending';
create index jobs_running on jobs (updated_at) where kind = 'build' and status in ('running', 'canceling');
create index jobs_scheduled on jobs (scheduled_at) where status = 'scheduled';

-- what a runner is told to do; apart from the rows that lists read
create table job_definitions (
  job_id bigint primary key references jobs (id) on delete cascade,
  -- JSON of `JobDefinition`
  definition text not null,
  -- JSON of `ConfigVariable[]`: of the file, then of whoever played it
  variables text not null default '[]'
);

create table job_needs (
  job_id bigint not null references jobs (id) on delete cascade,
  idx bigint not null,
  name text not null,
  artifacts integer not null default 1,
  primary key (job_id, idx)
);

alter table pipelines add column protected integer not null default 0;
alter table pipelines add column merge_request_id bigint;
-- JSON array of the stages in order, also those that have no job
alter table pipelines add column stages text not null default '[]';
-- whether a newer pipeline of the ref may cancel it: 'conservative', 'interruptible', 'none'
alter table pipelines add column auto_cancel text not null default 'conservative';
create index pipelines_merge_request on pipelines (merge_request_id, id);

create table pipeline_variables (
  pipeline_id bigint not null references pipelines (id) on delete cascade,
  key text not null,
  value text not null,
  variable_type text not null default 'env_var',
  raw integer not null default 0,
  primary key (pipeline_id, key)
);

-- which bridge began a pipeline
create table pipeline_sources (
  pipeline_id bigint primary key references pipelines (id) on delete cascade,
  source_project_id bigint not null references projects (id) on delete cascade,
  source_pipeline_id bigint not null references pipelines (id) on delete cascade,
  source_job_id bigint not null references jobs (id) on delete cascade
);
create index pipeline_sources_job on pipeline_sources (source_job_id);
create index pipeline_sources_pipeline on pipeline_sources (source_pipeline_id);
create index pipeline_sources_project on pipeline_sources (source_project_id);
