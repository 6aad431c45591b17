-- The outbox: events are written in the transaction of the change that they tell of.
create table events (
  id {{id}},
  -- Given by the dispatcher after the commit: ids are taken before it, so that on PostgreSQL a lower one may appear later.
  position bigint,
  type text not null,
  stream text not null,
  payload text not null,
  created_at bigint not null
);
create unique index events_position on events (position);
create index events_unplaced on events (id) where position is null;
create index events_created_at on events (created_at);

create table event_sequence (
  singleton bigint primary key check (singleton = 1),
  last_position bigint not null
);
insert into event_sequence (singleton, last_position) values (1, 0);

-- One row for each subscriber that has not handled the event yet.
create table event_deliveries (
  id {{id}},
  event_id bigint not null references events (id) on delete cascade,
  subscriber text not null,
  stream text not null,
  attempts bigint not null default 0,
  next_attempt_at bigint not null default 0,
  last_error text
);
create unique index event_deliveries_lane on event_deliveries (subscriber, stream, event_id);
create index event_deliveries_event on event_deliveries (event_id);
create index event_deliveries_failing on event_deliveries (next_attempt_at) where attempts > 0;
