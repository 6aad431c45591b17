-- whose jobs may reach a project with their tokens; of the two ids exactly one is set
create table job_token_allowances (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  from_project_id bigint references projects (id) on delete cascade,
  -- every project in the group and below
  from_group_id bigint references namespaces (id) on delete cascade,
  created_at bigint not null
);
create unique index job_token_allowances_project on job_token_allowances (project_id, from_project_id);
create unique index job_token_allowances_group on job_token_allowances (project_id, from_group_id);
create index job_token_allowances_from_project on job_token_allowances (from_project_id);
create index job_token_allowances_from_group on job_token_allowances (from_group_id);
