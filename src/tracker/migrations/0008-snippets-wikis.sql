create table snippets (
  id {{id}},
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
create index snippets_author on snippets (author_id, created_at, id);
create index snippets_owner on snippets (owner_id, id);
create index snippets_project on snippets (project_id, created_at, id);
create index snippets_visibility on snippets (visibility, created_at, id);
create index snippets_created on snippets (created_at, id);
create index snippets_updated on snippets (updated_at, id);

create table snippet_files (
  snippet_id bigint not null references snippets (id) on delete cascade,
  position bigint not null,
  path text not null,
  content text not null,
  primary key (snippet_id, position)
);
create unique index snippet_files_path on snippet_files (snippet_id, path);

-- a project's wiki is a repository of its own, whose refs have the same names as those of its code
alter table ref_intents add column wiki integer not null default 0;
drop index ref_intents_ref;
create unique index ref_intents_ref on ref_intents (project_id, wiki, ref);
