-- Written by "npm run schema" from the migrations; do not edit.

CREATE TABLE access_tokens (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  name text not null,
  description text,
  token_hash text not null,
  scopes text not null,
  impersonation integer not null default 0,
  revoked integer not null default 0,
  expires_at text,
  last_used_at bigint,
  created_by_id bigint references users (id) on delete set null,
  created_at bigint not null,
  updated_at bigint not null
);

CREATE UNIQUE INDEX access_tokens_hash on access_tokens (token_hash);

CREATE INDEX access_tokens_user on access_tokens (user_id, id);

CREATE TABLE application_settings (
  name text primary key,
  value text not null,
  updated_at bigint not null
);

CREATE TABLE award_emoji (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  awardable_type text not null,
  awardable_id bigint not null,
  user_id bigint not null references users (id) on delete cascade,
  name text not null,
  created_at bigint not null,
  updated_at bigint not null
);

CREATE INDEX award_emoji_awardable on award_emoji (awardable_type, awardable_id, id);

CREATE UNIQUE INDEX award_emoji_once on award_emoji (awardable_type, awardable_id, name, user_id);

CREATE INDEX award_emoji_project on award_emoji (project_id);

CREATE INDEX award_emoji_user on award_emoji (user_id, id);

CREATE TABLE ci_variables (
  id integer primary key autoincrement,
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

CREATE UNIQUE INDEX ci_variables_group on ci_variables (group_id, key, environment_scope) where group_id is not null;

CREATE UNIQUE INDEX ci_variables_instance on ci_variables (key) where project_id is null and group_id is null;

CREATE UNIQUE INDEX ci_variables_project on ci_variables (project_id, key, environment_scope) where project_id is not null;

CREATE TABLE draft_notes (
  id integer primary key autoincrement,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  author_id bigint not null references users (id) on delete cascade,
  discussion_id text,
  resolve_discussion integer not null default 0,
  note text not null,
  commit_id text,
  position text,
  line_code text,
  created_at bigint not null,
  updated_at bigint not null
);

CREATE INDEX draft_notes_author on draft_notes (author_id, merge_request_id, id);

CREATE INDEX draft_notes_merge_request on draft_notes (merge_request_id);

CREATE TABLE due_reminders (
  singleton integer primary key,
  -- YYYY-MM-DD; issues due on it are being told, or have been
  due_date text not null,
  -- the last issue that was; issues come in the order of their ids
  last_issue_id bigint not null
);

CREATE TABLE event_deliveries (
  id integer primary key autoincrement,
  event_id bigint not null references events (id) on delete cascade,
  subscriber text not null,
  stream text not null,
  attempts bigint not null default 0,
  next_attempt_at bigint not null default 0,
  last_error text
);

CREATE INDEX event_deliveries_event on event_deliveries (event_id);

CREATE INDEX event_deliveries_failing on event_deliveries (next_attempt_at) where attempts > 0;

CREATE UNIQUE INDEX event_deliveries_lane on event_deliveries (subscriber, stream, event_id);

CREATE TABLE event_sequence (
  singleton bigint primary key check (singleton = 1),
  last_position bigint not null
);

CREATE TABLE events (
  id integer primary key autoincrement,
  -- Given by the dispatcher after the commit: ids are taken before it, so that on PostgreSQL a lower one may appear later.
  position bigint,
  type text not null,
  stream text not null,
  payload text not null,
  created_at bigint not null
);

CREATE INDEX events_created_at on events (created_at);

CREATE UNIQUE INDEX events_position on events (position);

CREATE INDEX events_unplaced on events (id) where position is null;

CREATE TABLE group_shares (
  id integer primary key autoincrement,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  shared_with_id bigint not null references namespaces (id) on delete cascade,
  access_level integer not null,
  expires_at text,
  created_at bigint not null
);

CREATE UNIQUE INDEX group_shares_namespace on group_shares (namespace_id, shared_with_id);

CREATE UNIQUE INDEX group_shares_project on group_shares (project_id, shared_with_id);

CREATE INDEX group_shares_shared_with on group_shares (shared_with_id);

CREATE TABLE issue_assignees (
  issue_id bigint not null references issues (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (issue_id, user_id)
);

CREATE INDEX issue_assignees_user on issue_assignees (user_id, issue_id);

CREATE TABLE issue_labels (
  issue_id bigint not null references issues (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  primary key (issue_id, label_id)
);

CREATE INDEX issue_labels_label on issue_labels (label_id, issue_id);

CREATE TABLE issue_links (
  id integer primary key autoincrement,
  source_id bigint not null references issues (id) on delete cascade,
  target_id bigint not null references issues (id) on delete cascade,
  created_at bigint not null,
  updated_at bigint not null
);

CREATE UNIQUE INDEX issue_links_pair on issue_links (source_id, target_id);

CREATE INDEX issue_links_target on issue_links (target_id, source_id);

CREATE TABLE issues (
  id integer primary key autoincrement,
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

CREATE INDEX issues_author on issues (author_id, created_at, id);

CREATE INDEX issues_by_created on issues (created_at, id);

CREATE INDEX issues_by_updated on issues (updated_at, id);

CREATE INDEX issues_closed_by on issues (closed_by_id);

CREATE INDEX issues_created on issues (project_id, created_at, id);

CREATE INDEX issues_due on issues (project_id, due_date, id);

CREATE INDEX issues_due_day on issues (due_date, id) where state = 'opened' and due_date is not null;

CREATE UNIQUE INDEX issues_iid on issues (project_id, iid);

CREATE INDEX issues_milestone on issues (milestone_id, id);

CREATE INDEX issues_moved_to on issues (moved_to_id);

CREATE INDEX issues_number on issues (iid, created_at, id);

CREATE INDEX issues_position on issues (project_id, relative_position, id);

CREATE INDEX issues_searched on issues (project_id, created_at, id, confidential, author_id);

CREATE INDEX issues_short on issues (created_at, id) where length(title) < 3 or length(description) < 3;

CREATE INDEX issues_state on issues (project_id, state, created_at, id);

CREATE INDEX issues_updated on issues (project_id, updated_at, id);

CREATE TRIGGER issues_text_delete after delete on issues begin
  insert into issues_text (issues_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
end;

CREATE TRIGGER issues_text_insert after insert on issues begin
  insert into issues_text (rowid, title, description) values (new.id, new.title, new.description);
end;

CREATE TRIGGER issues_text_update after update of title, description on issues
when old.title is not new.title or old.description is not new.description begin
  insert into issues_text (issues_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
  insert into issues_text (rowid, title, description) values (new.id, new.title, new.description);
end;

CREATE VIRTUAL TABLE issues_text using fts5
  (title, description, content='issues', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);

CREATE TABLE job_artifacts (
  id integer primary key autoincrement,
  project_id bigint not null,
  pipeline_id bigint not null,
  job_id bigint not null,
  file_type text not null,
  -- 'zip', 'gzip' or 'raw'
  file_format text not null,
  filename text not null,
  size bigint not null,
  -- hex
  sha256 text not null,
  -- who may fetch it: 'all', 'developer', 'maintainer' or 'none'
  access text not null default 'all',
  created_at bigint not null,
  expire_at bigint,
  -- 'coming': its bytes are under way, 'stored', or 'doomed': nobody sees it any more, its bytes are to be freed
  state text not null default 'coming'
);

CREATE INDEX job_artifacts_coming on job_artifacts (created_at) where state = 'coming';

CREATE INDEX job_artifacts_doomed on job_artifacts (id) where state = 'doomed';

CREATE INDEX job_artifacts_expiry on job_artifacts (expire_at, id) where state = 'stored' and expire_at is not null;

CREATE INDEX job_artifacts_pipeline on job_artifacts (pipeline_id);

CREATE INDEX job_artifacts_project on job_artifacts (project_id, id, state, size);

CREATE UNIQUE INDEX job_artifacts_type on job_artifacts (job_id, file_type) where state = 'stored';

CREATE TABLE job_definitions (
  job_id bigint primary key references jobs (id) on delete cascade,
  -- JSON of `JobDefinition`
  definition text not null,
  -- JSON of `ConfigVariable[]`: of the file, then of whoever played it
  variables text not null default '[]'
);

CREATE TABLE job_dotenv_variables (
  job_id bigint not null references jobs (id) on delete cascade,
  idx bigint not null,
  key text not null,
  value text not null,
  primary key (job_id, idx)
);

CREATE TABLE job_needs (
  job_id bigint not null references jobs (id) on delete cascade,
  idx bigint not null,
  name text not null,
  artifacts integer not null default 1,
  primary key (job_id, idx)
);

CREATE TABLE job_runs (
  job_id bigint primary key references jobs (id) on delete cascade,
  -- of the job's token: who shows it speaks for the job, also when it has ended, and is told so
  token_hash text not null,
  -- of an instance runner: what is shared fairly among projects
  shared integer not null default 0,
  -- ms; when it was handed out to a runner that has yet to confirm it; until then the job is 'pending' still
  unconfirmed_since bigint
, refused_bytes bigint);

CREATE INDEX job_runs_unconfirmed on job_runs (unconfirmed_since) where unconfirmed_since is not null;

CREATE TABLE job_token_allowances (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  from_project_id bigint references projects (id) on delete cascade,
  -- every project in the group and below
  from_group_id bigint references namespaces (id) on delete cascade,
  created_at bigint not null
);

CREATE INDEX job_token_allowances_from_group on job_token_allowances (from_group_id);

CREATE INDEX job_token_allowances_from_project on job_token_allowances (from_project_id);

CREATE UNIQUE INDEX job_token_allowances_group on job_token_allowances (project_id, from_group_id);

CREATE UNIQUE INDEX job_token_allowances_project on job_token_allowances (project_id, from_project_id);

CREATE TABLE job_tokens (
  token_hash text primary key,
  job_id bigint not null,
  user_id bigint not null references users (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  created_at bigint not null
);

CREATE INDEX job_tokens_job on job_tokens (job_id);

CREATE INDEX job_tokens_project on job_tokens (project_id);

CREATE INDEX job_tokens_user on job_tokens (user_id);

CREATE TABLE job_traces (
  job_id bigint primary key,
  project_id bigint not null,
  pipeline_id bigint not null,
  -- 1: the runner said that it prints every command with its variables
  debug integer not null default 0,
  -- 1: a secret was covered here that the runner had let through, so its checksum cannot fit
  masked integer not null default 0,
  -- how often the whole log was asked for once more
  resends bigint not null default 0,
  created_at bigint not null,
  -- when it was put into the object store
  sealed_at bigint,
  -- 0: the live file is gone, some time after the sealing
  live integer not null default 1
);

CREATE INDEX job_traces_pipeline on job_traces (pipeline_id);

CREATE INDEX job_traces_project on job_traces (project_id);

CREATE INDEX job_traces_sealed on job_traces (sealed_at) where live = 1 and sealed_at is not null;

CREATE TABLE jobs (
  id integer primary key autoincrement,
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
, "when" text not null default 'on_success', scheduled_at bigint, scheduling text not null default 'stage', protected integer not null default 0, interruptible integer not null default 0, resource_group text, environment text, tags text not null default '[]', timeout bigint, exit_code bigint, runner_id bigint, runner_manager_id bigint, erased_at bigint, erased_by_id bigint, artifacts_expire_at bigint, start_in bigint, cancel_gracefully integer not null default 0);

CREATE INDEX jobs_at_work on jobs (project_id, id) where kind = 'build' and status in ('running', 'canceling');

CREATE INDEX jobs_busy on jobs (runner_id) where kind = 'build' and status in ('running', 'canceling');

CREATE INDEX jobs_name on jobs (pipeline_id, name, id);

CREATE INDEX jobs_name_status on jobs (project_id, kind, name, status, id);

CREATE INDEX jobs_pipeline on jobs (pipeline_id, id);

CREATE INDEX jobs_project on jobs (project_id, kind, id);

CREATE INDEX jobs_project_created on jobs (project_id, kind, created_at, id);

CREATE INDEX jobs_project_name on jobs (project_id, kind, name, id);

CREATE INDEX jobs_project_ref on jobs (project_id, kind, ref, id);

CREATE INDEX jobs_queue on jobs (id) where kind = 'build' and status = 'pending';

CREATE INDEX jobs_queue_groups on jobs (project_id, tags, protected, id)
  where kind = 'build' and status = 'pending' and coalesce(runner_id, 0) = 0;

CREATE INDEX jobs_ref_status on jobs (project_id, kind, ref, status, id);

CREATE INDEX jobs_resource on jobs (project_id, resource_group, status, id) where resource_group is not null;

CREATE INDEX jobs_runner on jobs (runner_id, id);

CREATE INDEX jobs_running on jobs (updated_at) where kind = 'build' and status in ('running', 'canceling');

CREATE INDEX jobs_scheduled on jobs (scheduled_at) where status = 'scheduled';

CREATE INDEX jobs_status on jobs (project_id, kind, status, id);

CREATE INDEX jobs_user on jobs (user_id);

CREATE INDEX jobs_waiting on jobs (queued_at) where kind = 'build' and status = 'pending';

CREATE INDEX jobs_waiting_groups on jobs (project_id, tags, protected, queued_at)
  where kind = 'build' and status = 'pending' and coalesce(runner_id, 0) = 0;

CREATE TABLE label_priorities (
  project_id bigint not null references projects (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  priority bigint not null,
  primary key (project_id, label_id)
);

CREATE INDEX label_priorities_label on label_priorities (label_id);

CREATE TABLE labels (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  name text not null,
  color text not null,
  description text,
  created_at bigint not null,
  updated_at bigint not null,
  check ((project_id is null) <> (group_id is null))
);

CREATE UNIQUE INDEX labels_group_name on labels (group_id, name);

CREATE INDEX labels_name on labels (name);

CREATE UNIQUE INDEX labels_project_name on labels (project_id, name);

CREATE TABLE mail_contents (
  id integer primary key autoincrement,
  subject text not null,
  text_body text not null,
  html_body text not null,
  -- the person it speaks for; null where it is the service itself
  from_name text,
  -- without the angle brackets
  message_id text not null,
  -- JSON: header to value
  headers text not null,
  project_id bigint,
  -- what its reader can unsubscribe from
  thing_type text,
  thing_id bigint,
  created_at bigint not null
);

CREATE INDEX mail_contents_created on mail_contents (created_at);

CREATE TABLE mail_secrets (
  singleton integer primary key,
  secret text not null
);

CREATE TABLE mails (
  id integer primary key autoincrement,
  content_id bigint not null references mail_contents (id),
  user_id bigint not null references users (id) on delete cascade,
  recipient text not null,
  kind text not null,
  -- why its reader gets it; null where it is no notification
  reason text,
  -- kept (no server was set), queued, sending, sent, failed
  state text not null,
  attempts integer not null default 0,
  -- ms; 0 at once
  next_attempt_at bigint not null default 0,
  -- the process that is sending it
  owner bigint,
  -- what the server said last, or why it could not be asked
  answer text,
  created_at bigint not null,
  -- ms; null as long as it is to be sent
  settled_at bigint
);

CREATE INDEX mails_content on mails (content_id);

CREATE INDEX mails_due on mails (state, next_attempt_at, id);

CREATE INDEX mails_kind on mails (kind, id);

CREATE INDEX mails_settled on mails (settled_at, id) where settled_at is not null;

CREATE INDEX mails_user on mails (user_id, id);

CREATE INDEX mails_waiting on mails (recipient, id) where settled_at is null;

CREATE TABLE members (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  access_level integer not null,
  expires_at text,
  requested_at bigint,
  created_by_id bigint references users (id) on delete set null,
  created_at bigint not null
);

CREATE UNIQUE INDEX members_namespace on members (namespace_id, user_id);

CREATE UNIQUE INDEX members_project on members (project_id, user_id);

CREATE INDEX members_user on members (user_id, id);

CREATE TABLE merge_request_approvals (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  created_at bigint not null,
  primary key (merge_request_id, user_id)
);

CREATE INDEX merge_request_approvals_user on merge_request_approvals (user_id, merge_request_id);

CREATE TABLE merge_request_assignees (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (merge_request_id, user_id)
);

CREATE INDEX merge_request_assignees_user on merge_request_assignees (user_id, merge_request_id);

CREATE TABLE merge_request_commits (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  position bigint not null,
  sha text not null,
  primary key (merge_request_id, position)
);

CREATE INDEX merge_request_commits_sha on merge_request_commits (sha, merge_request_id);

CREATE TABLE merge_request_issues (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  issue_id bigint not null references issues (id) on delete cascade,
  closes integer not null,
  closed integer not null default 0,
  primary key (merge_request_id, issue_id)
);

CREATE INDEX merge_request_issues_issue on merge_request_issues (issue_id, closes, merge_request_id);

CREATE TABLE merge_request_labels (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  primary key (merge_request_id, label_id)
);

CREATE INDEX merge_request_labels_label on merge_request_labels (label_id, merge_request_id);

CREATE TABLE merge_request_reviewers (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade, state text not null default 'unreviewed', created_at bigint not null default 0,
  primary key (merge_request_id, user_id)
);

CREATE INDEX merge_request_reviewers_user on merge_request_reviewers (user_id, merge_request_id);

CREATE TABLE merge_request_versions (
  id integer primary key autoincrement,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  number bigint not null,
  head_sha text not null,
  base_sha text,
  start_sha text not null,
  changes_count bigint not null,
  changes_overflow integer not null,
  created_at bigint not null
);

CREATE UNIQUE INDEX merge_request_versions_number on merge_request_versions (merge_request_id, number);

CREATE TABLE merge_requests (
  id integer primary key autoincrement,
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
, milestone_id bigint references milestones (id) on delete set null, time_estimate bigint not null default 0, auto_merge text, rebase_in_progress integer not null default 0);

CREATE INDEX merge_requests_author on merge_requests (author_id, created_at, id);

CREATE INDEX merge_requests_by_created on merge_requests (created_at, id);

CREATE INDEX merge_requests_by_updated on merge_requests (updated_at, id);

CREATE INDEX merge_requests_closed_by on merge_requests (closed_by_id);

CREATE INDEX merge_requests_created on merge_requests (project_id, created_at, id);

CREATE UNIQUE INDEX merge_requests_iid on merge_requests (project_id, iid);

CREATE INDEX merge_requests_merge_commit on merge_requests (project_id, merge_commit_sha);

CREATE INDEX merge_requests_merged on merge_requests (project_id, merged_at, id);

CREATE INDEX merge_requests_merged_by on merge_requests (merged_by_id);

CREATE INDEX merge_requests_milestone on merge_requests (milestone_id, id);

CREATE INDEX merge_requests_number on merge_requests (iid, created_at, id);

CREATE UNIQUE INDEX merge_requests_open on merge_requests
  (project_id, source_project_id, source_branch, target_branch) where state = 'opened';

CREATE INDEX merge_requests_project on merge_requests (project_id, id);

CREATE INDEX merge_requests_short on merge_requests (created_at, id) where length(title) < 3 or length(description) < 3;

CREATE INDEX merge_requests_source on merge_requests (source_project_id, source_branch, state, id);

CREATE INDEX merge_requests_source_branch on merge_requests (project_id, source_branch, created_at, id);

CREATE INDEX merge_requests_squash_commit on merge_requests (project_id, squash_commit_sha);

CREATE INDEX merge_requests_state on merge_requests (project_id, state, created_at, id);

CREATE INDEX merge_requests_target on merge_requests (project_id, target_branch, state, id);

CREATE INDEX merge_requests_title on merge_requests (project_id, title, id);

CREATE INDEX merge_requests_updated on merge_requests (project_id, updated_at, id);

CREATE TRIGGER merge_requests_text_delete after delete on merge_requests begin
  insert into merge_requests_text (merge_requests_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
end;

CREATE TRIGGER merge_requests_text_insert after insert on merge_requests begin
  insert into merge_requests_text (rowid, title, description) values (new.id, new.title, new.description);
end;

CREATE TRIGGER merge_requests_text_update after update of title, description on merge_requests
when old.title is not new.title or old.description is not new.description begin
  insert into merge_requests_text (merge_requests_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
  insert into merge_requests_text (rowid, title, description) values (new.id, new.title, new.description);
end;

CREATE VIRTUAL TABLE merge_requests_text using fts5
  (title, description, content='merge_requests', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);

CREATE TABLE milestones (
  id integer primary key autoincrement,
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

CREATE UNIQUE INDEX milestones_group_iid on milestones (group_id, iid);

CREATE UNIQUE INDEX milestones_group_title on milestones (group_id, title);

CREATE UNIQUE INDEX milestones_project_iid on milestones (project_id, iid);

CREATE UNIQUE INDEX milestones_project_title on milestones (project_id, title);

CREATE INDEX milestones_project_updated on milestones (project_id, updated_at, id);

CREATE INDEX milestones_short on milestones (updated_at, id) where length(title) < 3 or length(description) < 3;

CREATE INDEX milestones_title on milestones (title);

CREATE INDEX milestones_updated on milestones (updated_at, id);

CREATE TRIGGER milestones_text_delete after delete on milestones begin
  insert into milestones_text (milestones_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
end;

CREATE TRIGGER milestones_text_insert after insert on milestones begin
  insert into milestones_text (rowid, title, description) values (new.id, new.title, new.description);
end;

CREATE TRIGGER milestones_text_update after update of title, description on milestones
when old.title is not new.title or old.description is not new.description begin
  insert into milestones_text (milestones_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
  insert into milestones_text (rowid, title, description) values (new.id, new.title, new.description);
end;

CREATE VIRTUAL TABLE milestones_text using fts5
  (title, description, content='milestones', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);

CREATE TABLE namespaces (
  id integer primary key autoincrement,
  kind text not null,
  parent_id bigint references namespaces (id) on delete restrict,
  owner_id bigint references users (id) on delete cascade,
  name text not null,
  path text not null,
  full_path text not null,
  full_name text not null,
  traversal text not null,
  description text not null default '',
  visibility text not null default 'private',
  settings text not null default '{}',
  created_at bigint not null,
  updated_at bigint not null
);

CREATE UNIQUE INDEX namespaces_full_path on namespaces (lower(full_path));

CREATE INDEX namespaces_kind on namespaces (kind, visibility, id);

CREATE INDEX namespaces_owner on namespaces (owner_id);

CREATE INDEX namespaces_parent on namespaces (parent_id, id);

CREATE INDEX namespaces_traversal on namespaces (traversal);

CREATE TABLE notes (
  id integer primary key autoincrement,
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

CREATE INDEX notes_author on notes (author_id, id);

CREATE INDEX notes_commit on notes (project_id, commit_id, created_at, id);

CREATE INDEX notes_counted on notes (noteable_type, noteable_id, system);

CREATE INDEX notes_discussion on notes (discussion_id, id);

CREATE INDEX notes_noteable on notes (noteable_type, noteable_id, created_at, id);

CREATE INDEX notes_project on notes (project_id, id);

CREATE INDEX notes_project_updated on notes (project_id, updated_at, id);

CREATE INDEX notes_resolved_by on notes (resolved_by_id);

CREATE INDEX notes_short on notes (updated_at, id) where length(body) < 3;

CREATE INDEX notes_updated on notes (noteable_type, noteable_id, updated_at, id);

CREATE TRIGGER notes_text_delete after delete on notes when old.system = 0 begin
  insert into notes_text (notes_text, rowid, body) values ('delete', old.id, old.body);
end;

CREATE TRIGGER notes_text_insert after insert on notes when new.system = 0 begin
  insert into notes_text (rowid, body) values (new.id, new.body);
end;

CREATE TRIGGER notes_text_update after update of body on notes
when (old.body is not new.body) and new.system = 0 begin
  insert into notes_text (notes_text, rowid, body) values ('delete', old.id, old.body);
  insert into notes_text (rowid, body) values (new.id, new.body);
end;

CREATE VIRTUAL TABLE notes_text using fts5
  (body, content='notes', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);

CREATE TABLE notices (
  id integer primary key autoincrement,
  event_id bigint not null,
  kind text not null,
  user_id bigint not null references users (id) on delete cascade,
  -- the mail that told it; null while it waits
  mail_id bigint,
  delivery text not null,
  -- what one mail gathers: a thing, or a time of the clock
  gathered_by text,
  -- ms; null once it was told
  due_at bigint,
  -- what can be unsubscribed from
  thing_type text,
  thing_id bigint,
  -- JSON of `Notice`; null once it was told
  notice text,
  created_at bigint not null
);

CREATE INDEX notices_created on notices (created_at);

CREATE INDEX notices_due on notices (due_at, id) where due_at is not null;

CREATE INDEX notices_gathered on notices (user_id, gathered_by, id);

CREATE INDEX notices_mail on notices (mail_id) where mail_id is not null;

CREATE UNIQUE INDEX notices_once on notices (event_id, kind, user_id);

CREATE TABLE notification_settings (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  level text not null,
  events_chosen bigint not null default 0,
  events_on bigint not null default 0,
  delivery text not null default 'global',
  email_id bigint references user_emails (id) on delete set null,
  own_activity integer not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  check (project_id is null or group_id is null)
);

CREATE INDEX notification_settings_email on notification_settings (email_id);

CREATE UNIQUE INDEX notification_settings_group on notification_settings (group_id, user_id)
  where group_id is not null;

CREATE UNIQUE INDEX notification_settings_own on notification_settings (user_id)
  where project_id is null and group_id is null;

CREATE UNIQUE INDEX notification_settings_project on notification_settings (project_id, user_id)
  where project_id is not null;

CREATE INDEX notification_settings_user on notification_settings (user_id, id);

CREATE TABLE pipeline_counters (
  project_id bigint primary key references projects (id) on delete cascade,
  last_iid bigint not null
);

CREATE TABLE pipeline_outcomes (
  project_id bigint not null references projects (id) on delete cascade,
  ref text not null,
  tag integer not null,
  pipeline_id bigint not null,
  status text not null,
  event_id bigint not null,
  primary key (project_id, ref, tag)
);

CREATE TABLE pipeline_schedule_variables (
  schedule_id bigint not null references pipeline_schedules (id) on delete cascade,
  key text not null,
  value text not null,
  variable_type text not null default 'env_var',
  raw integer not null default 0,
  primary key (schedule_id, key)
);

CREATE TABLE pipeline_schedules (
  id integer primary key autoincrement,
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

CREATE INDEX pipeline_schedules_due on pipeline_schedules (next_run_at) where active = 1;

CREATE INDEX pipeline_schedules_owner on pipeline_schedules (owner_id);

CREATE INDEX pipeline_schedules_project on pipeline_schedules (project_id, id);

CREATE TABLE pipeline_sources (
  pipeline_id bigint primary key references pipelines (id) on delete cascade,
  source_project_id bigint not null references projects (id) on delete cascade,
  source_pipeline_id bigint not null references pipelines (id) on delete cascade,
  source_job_id bigint not null references jobs (id) on delete cascade
);

CREATE INDEX pipeline_sources_job on pipeline_sources (source_job_id);

CREATE INDEX pipeline_sources_pipeline on pipeline_sources (source_pipeline_id);

CREATE INDEX pipeline_sources_project on pipeline_sources (source_project_id);

CREATE TABLE pipeline_triggers (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  owner_id bigint not null references users (id) on delete cascade,
  description text not null,
  -- as it is: its owner may read it again
  token text not null,
  last_used_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);

CREATE INDEX pipeline_triggers_owner on pipeline_triggers (owner_id);

CREATE INDEX pipeline_triggers_project on pipeline_triggers (project_id, id);

CREATE UNIQUE INDEX pipeline_triggers_token on pipeline_triggers (token);

CREATE TABLE pipeline_variables (
  pipeline_id bigint not null references pipelines (id) on delete cascade,
  key text not null,
  value text not null,
  variable_type text not null default 'env_var',
  raw integer not null default 0,
  primary key (pipeline_id, key)
);

CREATE TABLE pipelines (
  id integer primary key autoincrement,
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
, protected integer not null default 0, merge_request_id bigint, stages text not null default '[]', auto_cancel text not null default 'conservative', trigger_id bigint, schedule_id bigint, event_id bigint);

CREATE INDEX pipelines_alive on pipelines (project_id, ref, id) where status in ('created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running', 'scheduled');

CREATE INDEX pipelines_by_user on pipelines (user_id);

CREATE UNIQUE INDEX pipelines_event on pipelines (event_id) where event_id is not null;

CREATE UNIQUE INDEX pipelines_iid on pipelines (project_id, iid);

CREATE INDEX pipelines_merge_request on pipelines (merge_request_id, id);

CREATE INDEX pipelines_name on pipelines (project_id, name, id);

CREATE INDEX pipelines_project on pipelines (project_id, id);

CREATE INDEX pipelines_ref on pipelines (project_id, ref, id);

CREATE INDEX pipelines_ref_status on pipelines (project_id, ref, status, id);

CREATE INDEX pipelines_schedule on pipelines (schedule_id, id);

CREATE INDEX pipelines_sha on pipelines (project_id, sha, id);

CREATE INDEX pipelines_source on pipelines (project_id, source, id);

CREATE INDEX pipelines_status on pipelines (project_id, status, id);

CREATE INDEX pipelines_updated on pipelines (project_id, updated_at, id);

CREATE INDEX pipelines_user on pipelines (project_id, user_id, id);

CREATE TABLE project_redirects (
  path text primary key,
  project_id bigint not null references projects (id) on delete cascade
);

CREATE INDEX project_redirects_project on project_redirects (project_id);

CREATE TABLE project_stars (
  user_id bigint not null references users (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  created_at bigint not null,
  primary key (user_id, project_id)
);

CREATE INDEX project_stars_project on project_stars (project_id, user_id);

CREATE TABLE project_topics (
  topic_id bigint not null references topics (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  primary key (topic_id, project_id)
);

CREATE INDEX project_topics_project on project_topics (project_id);

CREATE TABLE projects (
  id integer primary key autoincrement,
  namespace_id bigint not null references namespaces (id) on delete restrict,
  creator_id bigint references users (id) on delete set null,
  name text not null,
  path text not null,
  full_path text not null,
  name_with_namespace text not null,
  description text,
  visibility text not null default 'private',
  default_branch text,
  archived integer not null default 0,
  storage_path text not null,
  forked_from_id bigint references projects (id) on delete set null,
  star_count integer not null default 0,
  settings text not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  last_activity_at bigint not null
);

CREATE INDEX projects_created on projects (created_at, id);

CREATE INDEX projects_creator on projects (creator_id);

CREATE INDEX projects_forked_from on projects (forked_from_id, id);

CREATE UNIQUE INDEX projects_full_path on projects (lower(full_path));

CREATE INDEX projects_last_activity on projects (last_activity_at, id);

CREATE INDEX projects_name on projects (name, id);

CREATE UNIQUE INDEX projects_name_in_namespace on projects (namespace_id, name);

CREATE INDEX projects_namespace on projects (namespace_id, id);

CREATE INDEX projects_path on projects (path, id);

CREATE UNIQUE INDEX projects_storage_path on projects (storage_path);

CREATE INDEX projects_updated on projects (updated_at, id);

CREATE INDEX projects_visibility on projects (visibility, id);

CREATE TRIGGER projects_text_delete after delete on projects begin
  insert into projects_text (projects_text, rowid, full_path, name_with_namespace, description) values ('delete', old.id, old.full_path, old.name_with_namespace, old.description);
end;

CREATE TRIGGER projects_text_insert after insert on projects begin
  insert into projects_text (rowid, full_path, name_with_namespace, description) values (new.id, new.full_path, new.name_with_namespace, new.description);
end;

CREATE TRIGGER projects_text_update after update of full_path, name_with_namespace, description on projects
when old.full_path is not new.full_path or old.name_with_namespace is not new.name_with_namespace or old.description is not new.description begin
  insert into projects_text (projects_text, rowid, full_path, name_with_namespace, description) values ('delete', old.id, old.full_path, old.name_with_namespace, old.description);
  insert into projects_text (rowid, full_path, name_with_namespace, description) values (new.id, new.full_path, new.name_with_namespace, new.description);
end;

CREATE VIRTUAL TABLE projects_text using fts5
  (full_path, name_with_namespace, description, content='projects', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);

CREATE TABLE protected_branches (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  push_access_level integer not null default 40,
  merge_access_level integer not null default 40,
  unprotect_access_level integer,
  allow_force_push integer not null default 0,
  created_at bigint not null
);

CREATE UNIQUE INDEX protected_branches_name on protected_branches (project_id, name);

CREATE TABLE protected_tags (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  create_access_level integer not null default 40,
  created_at bigint not null
);

CREATE UNIQUE INDEX protected_tags_name on protected_tags (project_id, name);

CREATE TABLE ref_intents (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  ref text not null,
  old_oid text,
  new_oid text,
  origin text not null,
  owner text not null,
  created_at bigint not null
, wiki integer not null default 0);

CREATE INDEX ref_intents_owner on ref_intents (owner, id);

CREATE UNIQUE INDEX ref_intents_ref on ref_intents (project_id, wiki, ref);

CREATE TABLE registration_tokens (
  -- 'instance', 'group:5', 'project:7'
  place text primary key,
  token text not null,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade
);

CREATE INDEX registration_tokens_group on registration_tokens (namespace_id);

CREATE INDEX registration_tokens_project on registration_tokens (project_id);

CREATE UNIQUE INDEX registration_tokens_token on registration_tokens (token);

CREATE TABLE repository_reservations (
  storage_path text primary key,
  owner bigint not null,
  created_at bigint not null
);

CREATE TABLE resource_events (
  id integer primary key autoincrement,
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

CREATE INDEX resource_events_label on resource_events (label_id);

CREATE INDEX resource_events_milestone on resource_events (milestone_id);

CREATE INDEX resource_events_project on resource_events (project_id);

CREATE INDEX resource_events_resource on resource_events (resource_type, resource_id, kind, id);

CREATE INDEX resource_events_user on resource_events (user_id);

CREATE TABLE resource_groups (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  key text not null,
  process_mode text not null default 'unordered',
  created_at bigint not null,
  updated_at bigint not null
);

CREATE UNIQUE INDEX resource_groups_key on resource_groups (project_id, key);

CREATE TABLE runner_managers (
  id integer primary key autoincrement,
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

CREATE UNIQUE INDEX runner_managers_system on runner_managers (runner_id, system_id);

CREATE TABLE runner_projects (
  id integer primary key autoincrement,
  runner_id bigint not null references runners (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade
);

CREATE UNIQUE INDEX runner_projects_pair on runner_projects (runner_id, project_id);

CREATE INDEX runner_projects_project on runner_projects (project_id, runner_id);

CREATE TABLE runners (
  id integer primary key autoincrement,
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

CREATE INDEX runners_creator on runners (creator_id);

CREATE INDEX runners_group on runners (namespace_id);

CREATE UNIQUE INDEX runners_token on runners (token_hash);

CREATE INDEX runners_type on runners (runner_type, id);

CREATE TABLE snippet_files (
  snippet_id bigint not null references snippets (id) on delete cascade,
  position bigint not null,
  path text not null,
  content text not null,
  primary key (snippet_id, position)
);

CREATE UNIQUE INDEX snippet_files_path on snippet_files (snippet_id, path);

CREATE INDEX snippet_files_short on snippet_files (snippet_id) where length(content) < 3;

CREATE TRIGGER snippet_files_text_delete after delete on snippet_files begin
  delete from snippet_files_text where rowid = old.snippet_id * 1000 + old.position;
end;

CREATE TRIGGER snippet_files_text_insert after insert on snippet_files begin
  insert into snippet_files_text (rowid, content) values (new.snippet_id * 1000 + new.position, new.content);
end;

CREATE TRIGGER snippet_files_text_update after update of content, position on snippet_files begin
  delete from snippet_files_text where rowid = old.snippet_id * 1000 + old.position;
  insert into snippet_files_text (rowid, content) values (new.snippet_id * 1000 + new.position, new.content);
end;

CREATE VIRTUAL TABLE snippet_files_text using fts5
  (content, content='', contentless_delete=1, tokenize='trigram', detail='none');

CREATE TABLE snippets (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  author_id bigint references users (id) on delete set null,
  -- of a personal snippet, which goes with him
  owner_id bigint references users (id) on delete cascade,
  title text not null,
  file_name text not null,
  description text,
  visibility text not null default 'private',
  user_agent text,
  ip_address text,
  created_at bigint not null,
  updated_at bigint not null
);

CREATE INDEX snippets_author on snippets (author_id, created_at, id);

CREATE INDEX snippets_created on snippets (created_at, id);

CREATE INDEX snippets_owner on snippets (owner_id, id);

CREATE INDEX snippets_project on snippets (project_id, created_at, id);

CREATE INDEX snippets_short on snippets (updated_at, id)
  where length(title) < 3 or length(file_name) < 3 or length(description) < 3;

CREATE INDEX snippets_updated on snippets (updated_at, id);

CREATE INDEX snippets_visibility on snippets (visibility, created_at, id);

CREATE TRIGGER snippets_text_delete after delete on snippets begin
  insert into snippets_text (snippets_text, rowid, title, file_name, description) values ('delete', old.id, old.title, old.file_name, old.description);
end;

CREATE TRIGGER snippets_text_insert after insert on snippets begin
  insert into snippets_text (rowid, title, file_name, description) values (new.id, new.title, new.file_name, new.description);
end;

CREATE TRIGGER snippets_text_update after update of title, file_name, description on snippets
when old.title is not new.title or old.file_name is not new.file_name or old.description is not new.description begin
  insert into snippets_text (snippets_text, rowid, title, file_name, description) values ('delete', old.id, old.title, old.file_name, old.description);
  insert into snippets_text (rowid, title, file_name, description) values (new.id, new.title, new.file_name, new.description);
end;

CREATE VIRTUAL TABLE snippets_text using fts5
  (title, file_name, description, content='snippets', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);

CREATE TABLE subscriptions (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  issue_id bigint references issues (id) on delete cascade,
  merge_request_id bigint references merge_requests (id) on delete cascade,
  snippet_id bigint references snippets (id) on delete cascade,
  label_id bigint references labels (id) on delete cascade,
  -- of a label: in this project alone; null is wherever the label is used
  project_id bigint references projects (id) on delete cascade,
  subscribed integer not null,
  updated_at bigint not null
);

CREATE UNIQUE INDEX subscriptions_issue on subscriptions (issue_id, user_id);

CREATE UNIQUE INDEX subscriptions_label on subscriptions (label_id, user_id) where project_id is null;

CREATE UNIQUE INDEX subscriptions_label_in_project on subscriptions (label_id, project_id, user_id);

CREATE UNIQUE INDEX subscriptions_merge_request on subscriptions (merge_request_id, user_id);

CREATE INDEX subscriptions_project on subscriptions (project_id);

CREATE UNIQUE INDEX subscriptions_snippet on subscriptions (snippet_id, user_id);

CREATE INDEX subscriptions_user on subscriptions (user_id);

CREATE TABLE timelogs (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  target_type text not null,
  target_id bigint not null,
  user_id bigint references users (id) on delete set null,
  note_id bigint references notes (id) on delete set null,
  time_spent bigint not null,
  summary text,
  spent_at bigint not null,
  created_at bigint not null
);

CREATE INDEX timelogs_note on timelogs (note_id);

CREATE INDEX timelogs_project on timelogs (project_id);

CREATE INDEX timelogs_target on timelogs (target_type, target_id, time_spent);

CREATE INDEX timelogs_user on timelogs (user_id);

CREATE TABLE topics (
  id integer primary key autoincrement,
  name text not null
);

CREATE UNIQUE INDEX topics_name on topics (lower(name));

CREATE TABLE tracker_counters (
  project_id bigint not null references projects (id) on delete cascade,
  kind text not null,
  last_iid bigint not null,
  primary key (project_id, kind)
);

CREATE TABLE tracker_group_counters (
  group_id bigint not null references namespaces (id) on delete cascade,
  kind text not null,
  last_iid bigint not null,
  primary key (group_id, kind)
);

CREATE TABLE user_emails (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  email text not null,
  confirmed_at bigint,
  token_hash text,
  created_at bigint not null
);

CREATE UNIQUE INDEX user_emails_email on user_emails (lower(email));

CREATE UNIQUE INDEX user_emails_token on user_emails (token_hash);

CREATE INDEX user_emails_unconfirmed on user_emails (created_at) where confirmed_at is null;

CREATE INDEX user_emails_user on user_emails (user_id, id);

CREATE TABLE users (
  id integer primary key autoincrement,
  username text not null,
  name text not null,
  email text not null,
  public_email text,
  state text not null default 'active',
  is_admin integer not null default 0,
  external integer not null default 0,
  bot integer not null default 0,
  private_profile integer not null default 0,
  can_create_group integer not null default 1,
  projects_limit integer not null default 100000,
  note text,
  profile text not null default '{}',
  confirmed_at bigint,
  last_activity_on text,
  created_at bigint not null,
  updated_at bigint not null
);

CREATE INDEX users_created on users (created_at, id);

CREATE UNIQUE INDEX users_email on users (lower(email));

CREATE INDEX users_name on users (name, id);

CREATE INDEX users_public_email on users (lower(public_email));

CREATE INDEX users_state on users (state, id);

CREATE INDEX users_updated on users (updated_at, id);

CREATE UNIQUE INDEX users_username on users (lower(username));

CREATE INDEX users_username_order on users (username, id);

CREATE TRIGGER users_text_delete after delete on users begin
  insert into users_text (users_text, rowid, name, username) values ('delete', old.id, old.name, old.username);
end;

CREATE TRIGGER users_text_insert after insert on users begin
  insert into users_text (rowid, name, username) values (new.id, new.name, new.username);
end;

CREATE TRIGGER users_text_update after update of name, username on users
when old.name is not new.name or old.username is not new.username begin
  insert into users_text (users_text, rowid, name, username) values ('delete', old.id, old.name, old.username);
  insert into users_text (rowid, name, username) values (new.id, new.name, new.username);
end;

CREATE VIRTUAL TABLE users_text using fts5
  (name, username, content='users', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
