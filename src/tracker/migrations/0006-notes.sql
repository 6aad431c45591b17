create index notes_updated on notes (noteable_type, noteable_id, updated_at, id);
-- how many notes people wrote, for a page of issues at once, without reading the notes
create index notes_counted on notes (noteable_type, noteable_id, system);

create table award_emoji (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  awardable_type text not null,
  awardable_id bigint not null,
  user_id bigint not null references users (id) on delete cascade,
  name text not null,
  created_at bigint not null,
  updated_at bigint not null
);
-- once a user; counts of thumbs for a page of issues are read from it alone
create unique index award_emoji_once on award_emoji (awardable_type, awardable_id, name, user_id);
create index award_emoji_awardable on award_emoji (awardable_type, awardable_id, id);
create index award_emoji_user on award_emoji (user_id, id);
create index award_emoji_project on award_emoji (project_id);

alter table merge_requests add column time_estimate bigint not null default 0;

create table timelogs (
  id {{id}},
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
create index timelogs_target on timelogs (target_type, target_id, time_spent);
create index timelogs_user on timelogs (user_id);
create index timelogs_note on timelogs (note_id);
create index timelogs_project on timelogs (project_id);

-- notes on a merge request that nobody but their author sees until he publishes them
create table draft_notes (
  id {{id}},
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
create index draft_notes_author on draft_notes (author_id, merge_request_id, id);
create index draft_notes_merge_request on draft_notes (merge_request_id);
