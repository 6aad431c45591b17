import type { Generated, Selectable } from 'kysely';

/** Rows as both databases hold them: times in ms, booleans 0/1, JSON as text. `migrations/` has the indexes and why. */

export interface UsersTable {
  id: Generated<number>;
  username: string;
  name: string;
  email: string;
  public_email: string | null;
  state: Generated<string>;
  is_admin: Generated<number>;
  external: Generated<number>;
  bot: Generated<number>;
  private_profile: Generated<number>;
  can_create_group: Generated<number>;
  projects_limit: Generated<number>;
  note: string | null;
  /** JSON: bio, location, skype, linkedin, twitter, website_url, organization, job_title, pronouns. */
  profile: Generated<string>;
  confirmed_at: number | null;
  last_activity_on: string | null;
  created_at: number;
  updated_at: number;
}

/** Addresses beside the one in the user's own row. */
export interface UserEmailsTable {
  id: Generated<number>;
  user_id: number;
  email: string;
  /** null: nobody has shown yet that he reads it. */
  confirmed_at: number | null;
  /** SHA-256, hex, of what was mailed to it. */
  token_hash: string | null;
  created_at: number;
}

export interface NamespacesTable {
  id: Generated<number>;
  kind: 'user' | 'group';
  parent_id: number | null;
  /** The user whose personal namespace it is; null for groups, which have members. */
  owner_id: number | null;
  name: string;
  path: string;
  full_path: string;
  full_name: string;
  /** Ids from the root to itself, `/1/5/9/`: ancestors by splitting, descendants by a prefix range. */
  traversal: string;
  description: Generated<string>;
  visibility: Generated<Visibility>;
  settings: Generated<string>;
  created_at: number;
  updated_at: number;
}

export interface ProjectsTable {
  id: Generated<number>;
  namespace_id: number;
  creator_id: number | null;
  name: string;
  path: string;
  full_path: string;
  name_with_namespace: string;
  description: string | null;
  visibility: Generated<Visibility>;
  default_branch: string | null;
  archived: Generated<number>;
  /** Below the repositories folder; never changes, so renames and transfers move no files. */
  storage_path: string;
  forked_from_id: number | null;
  star_count: Generated<number>;
  /** JSON of `ProjectSettings`, only what differs from the defaults. */
  settings: Generated<string>;
  created_at: number;
  updated_at: number;
  last_activity_at: number;
}

export interface ProjectRedirectsTable {
  /** Lower case. */
  path: string;
  project_id: number;
}

export interface ProjectStarsTable {
  user_id: number;
  project_id: number;
  created_at: number;
}

/** Exactly one of namespace_id (a group) and project_id is set. A row with requested_at is an access request, not a membership. */
export interface MembersTable {
  id: Generated<number>;
  user_id: number;
  namespace_id: number | null;
  project_id: number | null;
  access_level: number;
  /** `YYYY-MM-DD`: from this day on it counts no more. */
  expires_at: string | null;
  requested_at: number | null;
  created_by_id: number | null;
  created_at: number;
}

export interface GroupSharesTable {
  id: Generated<number>;
  namespace_id: number | null;
  project_id: number | null;
  shared_with_id: number;
  access_level: number;
  expires_at: string | null;
  created_at: number;
}

export interface AccessTokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  description: string | null;
  /** SHA-256, hex. The token itself is shown once and kept nowhere. */
  token_hash: string;
  /** Comma-separated. */
  scopes: string;
  impersonation: Generated<number>;
  revoked: Generated<number>;
  expires_at: string | null;
  last_used_at: number | null;
  created_by_id: number | null;
  created_at: number;
  updated_at: number;
}

export interface JobTokensTable {
  token_hash: string;
  job_id: number;
  user_id: number;
  project_id: number;
  created_at: number;
}

export interface ProtectedBranchesTable {
  id: Generated<number>;
  project_id: number;
  /** A branch, or a pattern with `*`. */
  name: string;
  /** 0 nobody, 30 developers and up, 40 maintainers and up, 60 administrators. */
  push_access_level: Generated<number>;
  merge_access_level: Generated<number>;
  unprotect_access_level: number | null;
  allow_force_push: Generated<number>;
  created_at: number;
}

export interface ProtectedTagsTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  create_access_level: Generated<number>;
  created_at: number;
}

/** Every topic that a project ever had; its id stays the same when it comes back. */
export interface TopicsTable {
  id: Generated<number>;
  name: string;
}

/** Which projects have a topic: the project's settings hold the names in the owner's order, this finds and counts them. */
export interface ProjectTopicsTable {
  topic_id: number;
  project_id: number;
}

export interface ApplicationSettingsTable {
  name: string;
  value: string;
  updated_at: number;
}

/** Ref updates that were begun: written before git moves a ref, turned into events after. See `repository/ref-updates.ts`. */
export interface RefIntentsTable {
  id: Generated<number>;
  project_id: number;
  /** 1: a ref of the project's wiki, not of its code. */
  wiki: Generated<number>;
  ref: string;
  old_oid: string | null;
  new_oid: string | null;
  /** JSON of `RefOrigin`. */
  origin: string;
  /** The process that began it. */
  owner: string;
  created_at: number;
}

/** Repositories that are being made: written before the folder, taken away with the project's row. See `projects/storage.ts`. */
export interface RepositoryReservationsTable {
  storage_path: string;
  /** The process that makes it. */
  owner: number;
  created_at: number;
}

export type Visibility = 'private' | 'internal' | 'public';

export type User = Selectable<UsersTable>;
export type UserEmail = Selectable<UserEmailsTable>;
export type Namespace = Selectable<NamespacesTable>;
export type Project = Selectable<ProjectsTable>;
export type Member = Selectable<MembersTable>;
export type AccessToken = Selectable<AccessTokensTable>;
export type ProtectedBranch = Selectable<ProtectedBranchesTable>;
export type ProtectedTag = Selectable<ProtectedTagsTable>;

declare module '../platform/db/tables.ts' {
  interface Tables {
    users: UsersTable;
    user_emails: UserEmailsTable;
    namespaces: NamespacesTable;
    projects: ProjectsTable;
    project_redirects: ProjectRedirectsTable;
    project_stars: ProjectStarsTable;
    topics: TopicsTable;
    project_topics: ProjectTopicsTable;
    members: MembersTable;
    group_shares: GroupSharesTable;
    access_tokens: AccessTokensTable;
    job_tokens: JobTokensTable;
    protected_branches: ProtectedBranchesTable;
    protected_tags: ProtectedTagsTable;
    application_settings: ApplicationSettingsTable;
    ref_intents: RefIntentsTable;
    repository_reservations: RepositoryReservationsTable;
  }
}
