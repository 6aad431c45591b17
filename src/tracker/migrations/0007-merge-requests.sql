-- what a merge request offered, push by push; the row itself holds the newest once more, for lists
create table merge_request_versions (
  id {{id}},
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  number bigint not null,
  head_sha text not null,
  base_sha text,
  start_sha text not null,
  changes_count bigint not null,
  changes_overflow integer not null,
  created_at bigint not null
);
create unique index merge_request_versions_number on merge_request_versions (merge_request_id, number);
insert into merge_request_versions
  (merge_request_id, number, head_sha, base_sha, start_sha, changes_count, changes_overflow, created_at)
select id, version, sha, base_sha, start_sha, changes_count, changes_overflow, coalesce(versioned_at, created_at)
  from merge_requests where sha is not null and start_sha is not null order by id;
alter table merge_requests drop column versioned_at;

alter table merge_requests add column auto_merge text;
alter table merge_requests add column rebase_in_progress integer not null default 0;

create table merge_request_approvals (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  created_at bigint not null,
  primary key (merge_request_id, user_id)
);
create index merge_request_approvals_user on merge_request_approvals (user_id, merge_request_id);

alter table merge_request_reviewers add column state text not null default 'unreviewed';
alter table merge_request_reviewers add column created_at bigint not null default 0;
update merge_request_reviewers set created_at =
  (select created_at from merge_requests where merge_requests.id = merge_request_reviewers.merge_request_id);

create index merge_requests_merged on merge_requests (project_id, merged_at, id);
create index merge_requests_title on merge_requests (project_id, title, id);

-- the history of labels, milestones and states of issues and merge requests
create table resource_events (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  kind text not null,
  resource_type text not null,
  resource_id bigint not null,
  user_id bigint references users (id) on delete set null,
  label_id bigint references labels (id) on delete set null,
  milestone_id bigint references milestones (id) on delete set null,
  action text not null,
  created_at bigint not null
);
create index resource_events_resource on resource_events (resource_type, resource_id, kind, id);
create index resource_events_project on resource_events (project_id);
create index resource_events_user on resource_events (user_id);
create index resource_events_label on resource_events (label_id);
create index resource_events_milestone on resource_events (milestone_id);
