import type { FieldErrors } from '../../platform/errors.ts';
import { groupNamingProblems } from '../namespaces/naming.ts';
import { GHOST_USERNAME } from './ghost.ts';
import { PROFILE_FIELDS, type ProfileField } from './profile.ts';

/** What a client may say about a user; null and undefined leave a field as it is. */
export type UserInput = {
  email?: string | null;
  username?: string | null;
  name?: string | null;
  password?: string | null;
  public_email?: string | null;
  admin?: boolean | null;
  external?: boolean | null;
  can_create_group?: boolean | null;
  private_profile?: boolean | null;
  projects_limit?: number | null;
  note?: string | null;
} & { [K in ProfileField]?: string | null };

const MAX_LENGTH = 255;
const MAX_NOTE_LENGTH = 65_535;
const MAX_INT = 2 ** 31 - 1;
const PASSWORD_LENGTH = { least: 8, most: 128 };

const USERNAME_TEXT =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'.";

const tooLong = (most: number) => `is too long (maximum is ${most} characters)`;

/** What is wrong with the fields that are given, in GitLab's words; empty when nothing is. */
export function userProblems(input: UserInput, ownEmail: string): FieldErrors {
  const problems: FieldErrors = {
    name: nameProblems(input.name),
    username: usernameProblems(input.username),
    email: emailProblems(input.email),
    password: passwordProblems(input.password),
    public_email: publicEmailProblems(input.public_email, ownEmail),
    projects_limit: limitProblems(input.projects_limit),
    note: (input.note ?? '').length > MAX_NOTE_LENGTH ? [tooLong(MAX_NOTE_LENGTH)] : [],
  };
  for (const field of PROFILE_FIELDS) {
    problems[field] = (input[field] ?? '').length > MAX_LENGTH ? [tooLong(MAX_LENGTH)] : [];
  }
  return Object.fromEntries(Object.entries(problems).filter(([, texts]) => texts.length > 0));
}

function nameProblems(name: string | null | undefined): string[] {
  if (name === null || name === undefined) return [];
  if (name.trim() === '') return ["can't be blank"];
  return name.length > MAX_LENGTH ? [tooLong(MAX_LENGTH)] : [];
}

/** A user name is also the path of his namespace: what no group at the top may be called, no user may either. */
function usernameProblems(username: string | null | undefined): string[] {
  if (username === null || username === undefined) return [];
  if (username === '') return ["can't be blank"];
  if (username.length > MAX_LENGTH) return [tooLong(MAX_LENGTH)];
  const shaped = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(username);
  if (!shaped || /\.(?:git|atom)$/i.test(username)) return [USERNAME_TEXT];
  const reserved = groupNamingProblems({ name: 'x', path: username }, true).path ?? [];
  const isGhost = username.toLowerCase() === GHOST_USERNAME;
  return isGhost ? [`${username} is a reserved name`] : reserved;
}

function emailProblems(email: string | null | undefined): string[] {
  if (email === null || email === undefined) return [];
  if (email.length > MAX_LENGTH) return [tooLong(MAX_LENGTH)];
  // No control characters and no angle brackets: the address goes into mail headers and commits.
  return /^[^@\s<>\x00-\x1f\x7f]+@[^@\s<>\x00-\x1f\x7f]+$/.test(email) ? [] : ['is invalid'];
}

function passwordProblems(password: string | null | undefined): string[] {
  if (password === null || password === undefined) return [];
  const { least, most } = PASSWORD_LENGTH;
  if (password.length < least) return [`is too short (minimum is ${least} characters)`];
  return password.length > most ? [tooLong(most)] : [];
}

function publicEmailProblems(email: string | null | undefined, own: string): string[] {
  if (!email) return [];
  return email.toLowerCase() === own.toLowerCase() ? [] : ['is not an email you own'];
}

function limitProblems(limit: number | null | undefined): string[] {
  if (limit === null || limit === undefined) return [];
  if (limit < 0) return ['must be greater than or equal to 0'];
  return limit > MAX_INT ? [`must be less than or equal to ${MAX_INT}`] : [];
}
