import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { isoTime, isoTimeOrNull, presentUserBasic, UserBasic } from '../entities.ts';
import type { User } from '../tables.ts';
import { profileOf } from './profile.ts';

/** What everybody who may see a user sees of him, beside the basics. */
export const profileFields = {
  created_at: timestamp(),
  bio: Type.String(),
  location: nullable(Type.String()),
  linkedin: Type.String(),
  twitter: Type.String(),
  discord: Type.String(),
  skype: Type.String(),
  website_url: Type.String(),
  organization: Type.String(),
  job_title: Type.String(),
  pronouns: nullable(Type.String()),
  work_information: nullable(Type.String()),
  local_time: Type.Null(),
  bot: Type.Boolean(),
  followers: Type.Integer(),
  following: Type.Integer(),
  is_followed: Type.Boolean(),
};

const privateFields = {
  email: Type.String(),
  commit_email: Type.String(),
  confirmed_at: nullable(timestamp()),
  last_activity_on: nullable(Type.String({ format: 'date' })),
  last_sign_in_at: nullable(timestamp()),
  current_sign_in_at: nullable(timestamp()),
  theme_id: Type.Integer(),
  color_scheme_id: Type.Integer(),
  preferred_language: Type.String(),
  projects_limit: Type.Integer(),
  identities: Type.Array(Type.Object({ provider: Type.String(), extern_uid: Type.String() })),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
  shared_runners_minutes_limit: nullable(Type.Integer()),
  extra_shared_runners_minutes_limit: nullable(Type.Integer()),
  namespace_id: nullable(Type.Integer()),
};

const adminFields = {
  is_admin: Type.Boolean(),
  note: nullable(Type.String()),
  current_sign_in_ip: nullable(Type.String()),
  last_sign_in_ip: nullable(Type.String()),
};

/** A user as the caller may see him: everybody the basics, most the profile, himself and administrators the rest. */
export const UserDetails = Type.Object(
  {
    ...UserBasic.properties,
    ...Type.Partial(Type.Object({ ...profileFields, ...privateFields, ...adminFields })).properties,
  },
  { $id: 'UserDetails' },
);

/** Oneself; administrators also see `is_admin` and `note`. */
export const CurrentUser = Type.Object(
  {
    ...UserBasic.properties,
    ...profileFields,
    ...privateFields,
    ...Type.Partial(Type.Object(adminFields)).properties,
  },
  { $id: 'CurrentUser' },
);

/** Any user as an administrator sees him. */
export const UserForAdmin = Type.Object(
  { ...UserBasic.properties, ...profileFields, ...privateFields, ...adminFields },
  { $id: 'UserForAdmin' },
);

/** What is not in the user's own row. */
export interface UserFacts {
  namespaceId: number | null;
  personalProjects: number;
}

export function presentProfile(user: User, baseUrl: string) {
  const profile = profileOf(user);
  const work = [profile.job_title, profile.organization].filter(Boolean).join(' at ');
  return {
    ...presentUserBasic(user, baseUrl),
    created_at: isoTime(user.created_at),
    bio: profile.bio ?? '',
    location: profile.location ?? null,
    linkedin: profile.linkedin ?? '',
    twitter: profile.twitter ?? '',
    discord: profile.discord ?? '',
    skype: profile.skype ?? '',
    website_url: profile.website_url ?? '',
    organization: profile.organization ?? '',
    job_title: profile.job_title ?? '',
    pronouns: profile.pronouns ?? null,
    work_information: work === '' ? null : work,
    local_time: null,
    bot: user.bot === 1,
    // Nobody can follow anybody here.
    followers: 0,
    following: 0,
    is_followed: false,
  };
}

/** There is no signing in here, only tokens: what GitLab notes of sessions stays empty. */
export function presentOneself(user: User, facts: UserFacts, baseUrl: string) {
  return {
    ...presentProfile(user, baseUrl),
    email: user.email,
    commit_email: user.email,
    confirmed_at: isoTimeOrNull(user.confirmed_at),
    last_activity_on: user.last_activity_on,
    last_sign_in_at: null,
    current_sign_in_at: null,
    // GitLab's own defaults: there is one look.
    theme_id: 1,
    color_scheme_id: 1,
    preferred_language: 'en',
    projects_limit: user.projects_limit,
    identities: [],
    can_create_group: user.can_create_group === 1,
    can_create_project: facts.personalProjects < user.projects_limit,
    two_factor_enabled: false,
    external: user.external === 1,
    private_profile: user.private_profile === 1,
    shared_runners_minutes_limit: null,
    extra_shared_runners_minutes_limit: null,
    namespace_id: facts.namespaceId,
  };
}

export function presentForAdmin(user: User, facts: UserFacts, baseUrl: string): Static<typeof UserForAdmin> {
  return {
    ...presentOneself(user, facts, baseUrl),
    is_admin: user.is_admin === 1,
    note: user.note,
    current_sign_in_ip: null,
    last_sign_in_ip: null,
  };
}
