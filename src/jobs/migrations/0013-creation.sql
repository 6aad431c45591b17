-- variables that people set: of one project, of one group, or (neither) of the whole service
create table ci_variables (
  id {{id}},
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  key text not null,
  value text not null,
  variable_type text not null default 'env_var',
  protected integer not null default 0,
  masked integer not null default 0,
  hidden integer not null default 0,
  raw integer not null default 0,
  environment_scope text not null default '*',
  description text,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index ci_variables_project on ci_variables (project_id, key, environment_scope) where project_id is not null;
create unique index ci_variables_group on ci_variables (group_id, key, environment_scope) where group_id is not null;
create unique index ci_variables_instance on ci_variables (key) where project_id is null and group_id is null;

create table pipeline_triggers (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  owner_id bigint not null references users (id) on delete cascade,
  description text not null,
  -- as it is: its owner may read it again
  token text not null,
  last_used_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index pipeline_triggers_token on pipeline_triggers (token);
create index pipeline_triggers_project on pipeline_triggers (project_id, id);
create index pipeline_triggers_owner on pipeline_triggers (owner_id);

create table pipeline_schedules (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  -- null: he is gone, and nobody has taken it over
  owner_id bigint references users (id) on delete set null,
  description text not null,
  -- full name, refs/heads/main
  ref text not null,
  cron text not null,
  cron_timezone text not null default 'UTC',
  active integer not null default 1,
  -- ms; null when it will never be due
  next_run_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create index pipeline_schedules_project on pipeline_schedules (project_id, id);
create index pipeline_schedules_owner on pipeline_schedules (owner_id);
create index pipeline_schedules_due on pipeline_schedules (next_run_at) where active = 1;

create table pipeline_schedule_variables (
  schedule_id bigint not null references pipeline_schedules (id) on delete cascade,
  key text not null,
  value text not null,
  variable_type text not null default 'env_var',
  raw integer not null default 0,
  primary key (schedule_id, key)
);

-- what began a pipeline
alter table pipelines add column trigger_id bigint;
alter table pipelines add column schedule_id bigint;
-- an event begins one pipeline, however often it is delivered
alter table pipelines add column event_id bigint;
create unique index pipelines_event on pipelines (event_id) where event_id is not null;
create index pipelines_schedule on pipelines (schedule_id, id);
-- the few of a branch that a newer one may cancel, among all that it ever had
create index pipelines_alive on pipelines (project_id, ref, id) where status in ('created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running', 'scheduled');
