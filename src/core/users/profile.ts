import type { User } from '../tables.ts';

/** What people tell of themselves; GitLab's names. Kept as JSON, because nothing is looked up by it. */
export const PROFILE_FIELDS = [
  'bio',
  'location',
  'skype',
  'linkedin',
  'twitter',
  'discord',
  'website_url',
  'organization',
  'job_title',
  'pronouns',
] as const;

export type ProfileField = (typeof PROFILE_FIELDS)[number];
export type Profile = Partial<Record<ProfileField, string>>;

export const profileOf = (user: Pick<User, 'profile'>): Profile =>
  user.profile === '{}' ? {} : (JSON.parse(user.profile) as Profile);

/** The stored text with these changes laid over; empty values are left out. */
export function profileText(before: Profile, changes: Partial<Record<ProfileField, unknown>>): string {
  const merged: Profile = {};
  for (const field of PROFILE_FIELDS) {
    const value = changes[field] === undefined ? before[field] : changes[field];
    if (typeof value === 'string' && value !== '') merged[field] = value;
  }
  return JSON.stringify(merged);
}
