-- Rows of other kinds have no place in these indexes: SQLite looked for a user's own setting among those of his projects.
drop index notification_settings_project;
drop index notification_settings_group;
create unique index notification_settings_project on notification_settings (project_id, user_id)
  where project_id is not null;
create unique index notification_settings_group on notification_settings (group_id, user_id)
  where group_id is not null;
