create table runners (
  id {{id}},
  -- 'instance_type', 'group_type' or 'project_type'
  runner_type text not null,
  -- SHA-256, hex
  token_hash text not null,
  -- its first characters behind the prefix, by which people tell runners apart
  short_token text not null,
  -- 'authenticated_user' or 'registration_token'
  registration text not null,
  -- the group of a 'group_type' runner
  namespace_id bigint references namespaces (id) on delete cascade,
  creator_id bigint references users (id) on delete set null,
  description text,
  maintenance_note text,
  paused integer not null default 0,
  locked integer not null default 0,
  run_untagged integer not null default 1,
  -- 'not_protected' or 'ref_protected': only jobs of protected refs
  access_level text not null default 'not_protected',
  -- seconds
  maximum_timeout bigint,
  -- sorted, as a JSON array of text
  tags text not null default '[]',
  contacted_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index runners_token on runners (token_hash);
create index runners_type on runners (runner_type, id);
create index runners_group on runners (namespace_id);
create index runners_creator on runners (creator_id);

-- the projects of 'project_type' runners; the first is the one it was made for
create table runner_projects (
  id {{id}},
  runner_id bigint not null references runners (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade
);
create unique index runner_projects_pair on runner_projects (runner_id, project_id);
create index runner_projects_project on runner_projects (project_id, runner_id);

-- one for each machine that uses a runner's token
create table runner_managers (
  id {{id}},
  runner_id bigint not null references runners (id) on delete cascade,
  system_id text not null,
  name text,
  version text,
  revision text,
  platform text,
  architecture text,
  executor text,
  ip_address text,
  contacted_at bigint,
  created_at bigint not null
);
create unique index runner_managers_system on runner_managers (runner_id, system_id);

-- what is known of a job since a runner took it
create table job_runs (
  job_id bigint primary key references jobs (id) on delete cascade,
  -- of the job's token: who shows it speaks for the job, also when it has ended, and is told so
  token_hash text not null,
  -- of an instance runner: what is shared fairly among projects
  shared integer not null default 0,
  -- ms; when it was handed out to a runner that has yet to confirm it; until then the job is 'pending' still
  unconfirmed_since bigint
);
create index job_runs_unconfirmed on job_runs (unconfirmed_since) where unconfirmed_since is not null;

-- who shows one may make a runner there; kept in the clear, because it is shown to whoever manages the place
create table registration_tokens (
  -- 'instance', 'group:5', 'project:7'
  place text primary key,
  token text not null,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade
);
create unique index registration_tokens_token on registration_tokens (token);
create index registration_tokens_group on registration_tokens (namespace_id);
create index registration_tokens_project on registration_tokens (project_id);

-- the queue: of each project and each set of tags the job that waits longest. Until a runner has confirmed a job it is 'pending' still,
-- but has a runner. `coalesce`, because SQLite would take a plain `is null` for a reason to use `jobs_runner`
create index jobs_queue_groups on jobs (project_id, tags, protected, id)
  where kind = 'build' and status = 'pending' and coalesce(runner_id, 0) = 0;
create index jobs_at_work on jobs (project_id, id) where kind = 'build' and status in ('running', 'canceling');
