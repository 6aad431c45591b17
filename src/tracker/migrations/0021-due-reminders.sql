-- how far the reminders of issues that are due have come: one row, so that each issue is told once a day
create table due_reminders (
  singleton integer primary key,
  -- YYYY-MM-DD; issues due on it are being told, or have been
  due_date text not null,
  -- the last issue that was; issues come in the order of their ids
  last_issue_id bigint not null
);
create index issues_due_day on issues (due_date, id) where state = 'opened' and due_date is not null;
