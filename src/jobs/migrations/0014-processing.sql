-- seconds; of delayed jobs
alter table jobs add column start_in bigint;
-- 1: the runner that has it ends a cancelled job's script first
alter table jobs add column cancel_gracefully integer not null default 0;
create index jobs_waiting on jobs (queued_at) where kind = 'build' and status = 'pending';
-- jobs that the same runners take, the longest waiting first: none of them is looked at where one of the group shows that all may wait
create index jobs_waiting_groups on jobs (project_id, tags, protected, queued_at)
  where kind = 'build' and status = 'pending' and coalesce(runner_id, 0) = 0;
create index jobs_resource on jobs (project_id, resource_group, status, id) where resource_group is not null;

-- a row to stand in line at: at most one job of a group is under way
create table resource_groups (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  key text not null,
  process_mode text not null default 'unordered',
  created_at bigint not null,
  updated_at bigint not null
);
create unique index resource_groups_key on resource_groups (project_id, key);

-- which runners are busy
create index jobs_busy on jobs (runner_id) where kind = 'build' and status in ('running', 'canceling');

-- what the list of a project is narrowed by together: either alone may leave hundreds of thousands to look through
create index jobs_name_status on jobs (project_id, kind, name, status, id);
create index jobs_ref_status on jobs (project_id, kind, ref, status, id);
