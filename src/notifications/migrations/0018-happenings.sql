-- how the newest pipeline of each branch and tag ended: a success after a failure is told as a repair
create table pipeline_outcomes (
  project_id bigint not null references projects (id) on delete cascade,
  ref text not null,
  tag integer not null,
  pipeline_id bigint not null,
  status text not null,
  event_id bigint not null,
  primary key (project_id, ref, tag)
);
