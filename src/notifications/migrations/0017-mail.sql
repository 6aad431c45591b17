-- what a mail says, once for all who get it
create table mail_contents (
  id {{id}},
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
create index mail_contents_created on mail_contents (created_at);

-- one mail to one address
create table mails (
  id {{id}},
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
-- what is due, those that never failed first; of the other states, where the time is 0, the order of the numbers
create index mails_due on mails (state, next_attempt_at, id);
-- the oldest mail to an address goes before the next one
create index mails_waiting on mails (recipient, id) where settled_at is null;
create index mails_settled on mails (settled_at, id) where settled_at is not null;
create index mails_content on mails (content_id);
create index mails_user on mails (user_id, id);
create index mails_kind on mails (kind, id);

-- one act told to one person: so that none is told twice, and what waits for its digest
create table notices (
  id {{id}},
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
create unique index notices_once on notices (event_id, kind, user_id);
create index notices_due on notices (due_at, id) where due_at is not null;
create index notices_gathered on notices (user_id, gathered_by, id);
create index notices_mail on notices (mail_id) where mail_id is not null;
create index notices_created on notices (created_at);

-- what links are signed with
create table mail_secrets (
  singleton integer primary key,
  secret text not null
);
