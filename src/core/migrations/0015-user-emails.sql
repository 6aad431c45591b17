-- addresses beside the one in a user's own row; one that nobody confirmed is forgotten after a while
create table user_emails (
  id {{id}},
  user_id bigint not null references users (id) on delete cascade,
  email text not null,
  confirmed_at bigint,
  token_hash text,
  created_at bigint not null
);
create unique index user_emails_email on user_emails (lower(email));
create index user_emails_user on user_emails (user_id, id);
create unique index user_emails_token on user_emails (token_hash);
create index user_emails_unconfirmed on user_emails (created_at) where confirmed_at is null;
