-- a user's own row has neither project nor group
create table notification_settings (
  id {{id}},
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
create unique index notification_settings_own on notification_settings (user_id)
  where project_id is null and group_id is null;
create unique index notification_settings_project on notification_settings (project_id, user_id);
create unique index notification_settings_group on notification_settings (group_id, user_id);
create index notification_settings_user on notification_settings (user_id, id);
create index notification_settings_email on notification_settings (email_id);
