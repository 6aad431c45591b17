create table tracker_group_counters (
  group_id bigint not null references namespaces (id) on delete cascade,
  kind text not null,
  last_iid bigint not null,
  primary key (group_id, kind)
);

-- of a project or of a group
create table milestones (
  id {{id}},
  iid bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  title text not null,
  description text,
  state text not null default 'active',
  due_date text,
  start_date text,
  created_at bigint not null,
  updated_at bigint not null,
  check ((project_id is null) <> (group_id is null))
);
create unique index milestones_project_iid on milestones (project_id, iid);
create unique index milestones_group_iid on milestones (group_id, iid);
create unique index milestones_project_title on milestones (project_id, title);
create unique index milestones_group_title on milestones (group_id, title);
create index milestones_title on milestones (title);

-- of a project or of a group
create table labels (
  id {{id}},
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  name text not null,
  color text not null,
  description text,
  created_at bigint not null,
  updated_at bigint not null,
  check ((project_id is null) <> (group_id is null))
);
create unique index labels_project_name on labels (project_id, name);
create unique index labels_group_name on labels (group_id, name);
create index labels_name on labels (name);

-- a group's label has a priority in each project of its own
create table label_priorities (
  project_id bigint not null references projects (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  priority bigint not null,
  primary key (project_id, label_id)
);
create index label_priorities_label on label_priorities (label_id);

create table issues (
  id {{id}},
  iid bigint not null,
  project_id bigint not null references projects (id) on delete cascade,
  title text not null,
  description text,
  state text not null default 'opened',
  issue_type text not null default 'issue',
  author_id bigint references users (id) on delete set null,
  closed_by_id bigint references users (id) on delete set null,
  closed_at bigint,
  confidential integer not null default 0,
  discussion_locked integer,
  due_date text,
  milestone_id bigint references milestones (id) on delete set null,
  time_estimate bigint not null default 0,
  moved_to_id bigint references issues (id) on delete set null,
  relative_position bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index issues_iid on issues (project_id, iid);
create index issues_state on issues (project_id, state, created_at, id);
create index issues_created on issues (project_id, created_at, id);
create index issues_updated on issues (project_id, updated_at, id);
create index issues_due on issues (project_id, due_date, id);
create index issues_position on issues (project_id, relative_position, id);
create index issues_author on issues (author_id, created_at, id);
create index issues_milestone on issues (milestone_id, id);
create index issues_closed_by on issues (closed_by_id);
create index issues_moved_to on issues (moved_to_id);
create index issues_by_created on issues (created_at, id);
create index issues_by_updated on issues (updated_at, id);

create table issue_assignees (
  issue_id bigint not null references issues (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (issue_id, user_id)
);
create index issue_assignees_user on issue_assignees (user_id, issue_id);

create table issue_labels (
  issue_id bigint not null references issues (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  primary key (issue_id, label_id)
);
create index issue_labels_label on issue_labels (label_id, issue_id);

create table issue_links (
  id {{id}},
  source_id bigint not null references issues (id) on delete cascade,
  target_id bigint not null references issues (id) on delete cascade,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index issue_links_pair on issue_links (source_id, target_id);
create index issue_links_target on issue_links (target_id, source_id);

-- which issues a merge request speaks of, and which of them it closes when it is merged
create table merge_request_issues (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  issue_id bigint not null references issues (id) on delete cascade,
  closes integer not null,
  closed integer not null default 0,
  primary key (merge_request_id, issue_id)
);
create index merge_request_issues_issue on merge_request_issues (issue_id, closes, merge_request_id);

alter table merge_requests add column milestone_id bigint references milestones (id) on delete set null;
create index merge_requests_milestone on merge_requests (milestone_id, id);

-- merge requests had the names of labels; now the labels are things of their own
create table merge_request_label_names as select merge_request_id, name from merge_request_labels;
drop table merge_request_labels;
create table merge_request_labels (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  primary key (merge_request_id, label_id)
);
create index merge_request_labels_label on merge_request_labels (label_id, merge_request_id);
insert into labels (project_id, name, color, created_at, updated_at)
  select merge_requests.project_id, named.name, '#6699cc', min(merge_requests.created_at), min(merge_requests.created_at)
  from merge_request_label_names as named
  join merge_requests on merge_requests.id = named.merge_request_id
  group by merge_requests.project_id, named.name;
insert into merge_request_labels (merge_request_id, label_id)
  select named.merge_request_id, labels.id
  from merge_request_label_names as named
  join merge_requests on merge_requests.id = named.merge_request_id
  join labels on labels.project_id = merge_requests.project_id and labels.name = named.name;
drop table merge_request_label_names;
