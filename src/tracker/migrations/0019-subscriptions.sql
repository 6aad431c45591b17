-- who wants to hear of a thing, or no more, whatever his level is; exactly one of the four things is set
create table subscriptions (
  id {{id}},
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
create unique index subscriptions_issue on subscriptions (issue_id, user_id);
create unique index subscriptions_merge_request on subscriptions (merge_request_id, user_id);
create unique index subscriptions_snippet on subscriptions (snippet_id, user_id);
create unique index subscriptions_label on subscriptions (label_id, user_id) where project_id is null;
create unique index subscriptions_label_in_project on subscriptions (label_id, project_id, user_id);
create index subscriptions_project on subscriptions (project_id);
create index subscriptions_user on subscriptions (user_id);
