create table tracker_counters (
  project_id bigint not null references projects (id) on delete cascade,
  kind text not null,
  last_iid bigint not null,
  primary key (project_id, kind)
);

create table merge_requests (
  id {{id}},
  iid bigint not null,
  project_id bigint not null references projects (id) on delete cascade,
  source_project_id bigint references projects (id) on delete set null,
  source_branch text not null,
  target_branch text not null,
  title text not null,
  description text,
  state text not null default 'opened',
  draft integer not null default 0,
  author_id bigint references users (id) on delete set null,
  sha text,
  base_sha text,
  start_sha text,
  version bigint not null default 1,
  versioned_at bigint,
  changes_count bigint not null default 0,
  changes_overflow integer not null default 0,
  merge_status text not null default 'unchecked',
  merge_status_of text,
  in_progress_merge_commit_sha text,
  merge_commit_sha text,
  squash_commit_sha text,
  merged_by_id bigint references users (id) on delete set null,
  merged_at bigint,
  closed_by_id bigint references users (id) on delete set null,
  closed_at bigint,
  merge_error text,
  squash integer not null default 0,
  should_remove_source_branch integer,
  force_remove_source_branch integer not null default 0,
  allow_collaboration integer not null default 0,
  discussion_locked integer,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index merge_requests_iid on merge_requests (project_id, iid);
-- one open request for a pair of branches, whoever asks for two at once
create unique index merge_requests_open on merge_requests
  (project_id, source_project_id, source_branch, target_branch) where state = 'opened';
create index merge_requests_project on merge_requests (project_id, id);
create index merge_requests_state on merge_requests (project_id, state, created_at, id);
create index merge_requests_created on merge_requests (project_id, created_at, id);
create index merge_requests_updated on merge_requests (project_id, updated_at, id);
create index merge_requests_target on merge_requests (project_id, target_branch, state, id);
create index merge_requests_source_branch on merge_requests (project_id, source_branch, created_at, id);
create index merge_requests_source on merge_requests (source_project_id, source_branch, state, id);
create index merge_requests_author on merge_requests (author_id, created_at, id);
create index merge_requests_merge_commit on merge_requests (project_id, merge_commit_sha);
create index merge_requests_squash_commit on merge_requests (project_id, squash_commit_sha);
create index merge_requests_merged_by on merge_requests (merged_by_id);
create index merge_requests_closed_by on merge_requests (closed_by_id);
create index merge_requests_by_created on merge_requests (created_at, id);
create index merge_requests_by_updated on merge_requests (updated_at, id);

create table merge_request_commits (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  position bigint not null,
  sha text not null,
  primary key (merge_request_id, position)
);
create index merge_request_commits_sha on merge_request_commits (sha, merge_request_id);

create table merge_request_assignees (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (merge_request_id, user_id)
);
create index merge_request_assignees_user on merge_request_assignees (user_id, merge_request_id);

create table merge_request_reviewers (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (merge_request_id, user_id)
);
create index merge_request_reviewers_user on merge_request_reviewers (user_id, merge_request_id);

create table merge_request_labels (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  name text not null,
  primary key (merge_request_id, name)
);
create index merge_request_labels_name on merge_request_labels (name, merge_request_id);

create table notes (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  noteable_type text not null,
  noteable_id bigint,
  noteable_iid bigint,
  commit_id text,
  author_id bigint references users (id) on delete set null,
  type text,
  discussion_id text not null,
  body text not null,
  position text,
  system integer not null default 0,
  internal integer not null default 0,
  resolved_at bigint,
  resolved_by_id bigint references users (id) on delete set null,
  created_at bigint not null,
  updated_at bigint not null
);
create index notes_noteable on notes (noteable_type, noteable_id, created_at, id);
create index notes_commit on notes (project_id, commit_id, created_at, id);
create index notes_discussion on notes (discussion_id, id);
create index notes_project on notes (project_id, id);
create index notes_author on notes (author_id, id);
create index notes_resolved_by on notes (resolved_by_id);
