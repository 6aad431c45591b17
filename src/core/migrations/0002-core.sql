create table users (
  id {{id}},
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
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));
create index users_state on users (state, id);
create index users_name on users (name, id);
create index users_username_order on users (username, id);
create index users_created on users (created_at, id);
create index users_updated on users (updated_at, id);
create index users_public_email on users (lower(public_email));

create table namespaces (
  id {{id}},
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
create unique index namespaces_full_path on namespaces (lower(full_path));
create index namespaces_parent on namespaces (parent_id, id);
create index namespaces_owner on namespaces (owner_id);
create index namespaces_traversal on namespaces (traversal);
create index namespaces_kind on namespaces (kind, visibility, id);

create table projects (
  id {{id}},
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
create unique index projects_full_path on projects (lower(full_path));
create unique index projects_storage_path on projects (storage_path);
create unique index projects_name_in_namespace on projects (namespace_id, name);
create index projects_namespace on projects (namespace_id, id);
create index projects_creator on projects (creator_id);
create index projects_forked_from on projects (forked_from_id, id);
create index projects_visibility on projects (visibility, id);
create index projects_last_activity on projects (last_activity_at, id);
create index projects_created on projects (created_at, id);
create index projects_updated on projects (updated_at, id);
create index projects_name on projects (name, id);
create index projects_path on projects (path, id);

create table project_redirects (
  path text primary key,
  project_id bigint not null references projects (id) on delete cascade
);
create index project_redirects_project on project_redirects (project_id);

create table project_stars (
  user_id bigint not null references users (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  created_at bigint not null,
  primary key (user_id, project_id)
);
create index project_stars_project on project_stars (project_id, user_id);

create table topics (
  id {{id}},
  name text not null
);
create unique index topics_name on topics (lower(name));

create table project_topics (
  topic_id bigint not null references topics (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  primary key (topic_id, project_id)
);
create index project_topics_project on project_topics (project_id);

create table members (
  id {{id}},
  user_id bigint not null references users (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  access_level integer not null,
  expires_at text,
  requested_at bigint,
  created_by_id bigint references users (id) on delete set null,
  created_at bigint not null
);
create unique index members_namespace on members (namespace_id, user_id);
create unique index members_project on members (project_id, user_id);
create index members_user on members (user_id, id);

create table group_shares (
  id {{id}},
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  shared_with_id bigint not null references namespaces (id) on delete cascade,
  access_level integer not null,
  expires_at text,
  created_at bigint not null
);
create unique index group_shares_namespace on group_shares (namespace_id, shared_with_id);
create unique index group_shares_project on group_shares (project_id, shared_with_id);
create index group_shares_shared_with on group_shares (shared_with_id);

create table access_tokens (
  id {{id}},
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
create unique index access_tokens_hash on access_tokens (token_hash);
create index access_tokens_user on access_tokens (user_id, id);

create table job_tokens (
  token_hash text primary key,
  job_id bigint not null,
  user_id bigint not null references users (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  created_at bigint not null
);
create index job_tokens_job on job_tokens (job_id);
create index job_tokens_project on job_tokens (project_id);
create index job_tokens_user on job_tokens (user_id);

create table protected_branches (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  push_access_level integer not null default 40,
  merge_access_level integer not null default 40,
  unprotect_access_level integer,
  allow_force_push integer not null default 0,
  created_at bigint not null
);
create unique index protected_branches_name on protected_branches (project_id, name);

create table protected_tags (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  create_access_level integer not null default 40,
  created_at bigint not null
);
create unique index protected_tags_name on protected_tags (project_id, name);

create table application_settings (
  name text primary key,
  value text not null,
  updated_at bigint not null
);

create table ref_intents (
  id {{id}},
  project_id bigint not null references projects (id) on delete cascade,
  ref text not null,
  old_oid text,
  new_oid text,
  origin text not null,
  owner text not null,
  created_at bigint not null
);
create unique index ref_intents_ref on ref_intents (project_id, ref);
create index ref_intents_owner on ref_intents (owner, id);

create table repository_reservations (
  storage_path text primary key,
  owner bigint not null,
  created_at bigint not null
);
