import type { FieldErrors } from '../../platform/errors.ts';

/** What names and paths of groups and projects may look like, and GitLab's words for what is wrong with them. */

const MAX_LENGTH = 255;

/** First segments of addresses that the service needs itself: GitLab's list of reserved top-level names. */
const RESERVED_AT_TOP = new Set(
  `- .well-known 404.html 422.html 500.html 502.html 503.html admin api apple-touch-icon.png assets dashboard
  deploy.html explore favicon.ico favicon.png files groups health_check help import jwt login oauth profile projects
  public robots.txt s search sitemap sitemap.xml sitemap.xml.gz slash-command-logo.png snippets unsubscribes uploads
  users v2`.split(/\s+/),
);

/** Names that would read as a page of the group or project above them. */
const RESERVED_BELOW = new Set(
  `- badges blame blob builds commits create create_dir edit files find_file gitlab-lfs info new preview raw refs tree
  update wikis`.split(/\s+/),
);

const LETTERS = '\\p{L}\\p{M}\\p{N}_\\u{A9}-\\u{1F9FF}';
const PROJECT_NAME = new RegExp(`^[${LETTERS}][${LETTERS}\\p{Pd}+. ]*$`, 'u');
const GROUP_NAME = new RegExp(`^[${LETTERS}][${LETTERS}\\p{Pd}.() ]*$`, 'u');

const texts = {
  blank: "can't be blank",
  long: `is too long (maximum is ${MAX_LENGTH} characters)`,
  projectName:
    "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.",
  groupName:
    "can contain only letters, digits, emoji, '_', '.', '(', ')', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.",
  projectPath:
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'",
  specials:
    'must not start or end with a special character and must not contain consecutive special characters.',
  groupPath:
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
  reserved: (path: string) => `${path} is a reserved name`,
  taken: 'has already been taken',
};

export const TAKEN = texts.taken;

export interface NameAndPath {
  name: string;
  path: string;
}

/** What is wrong with a project's name and path by themselves; empty when nothing is. */
export function projectNamingProblems({ name, path }: NameAndPath): FieldErrors {
  return collect({
    name: nameProblems(name, PROJECT_NAME, texts.projectName),
    path: projectPathProblems(path),
  });
}

/** The same for a group; `isRoot` because more names are taken at the top. */
export function groupNamingProblems({ name, path }: NameAndPath, isRoot: boolean): FieldErrors {
  return collect({
    name: nameProblems(name, GROUP_NAME, texts.groupName),
    path: groupPathProblems(path, isRoot),
  });
}

function nameProblems(name: string, format: RegExp, text: string): string[] {
  if (name.trim() === '') return [texts.blank];
  if (name.length > MAX_LENGTH) return [texts.long];
  return format.test(name) ? [] : [text];
}

function projectPathProblems(path: string): string[] {
  if (path === '') return [texts.blank];
  if (path.length > MAX_LENGTH) return [texts.long];
  if (RESERVED_BELOW.has(path.toLowerCase())) return [texts.reserved(path)];
  const allowed = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(path) && !/\.(?:git|atom)$/i.test(path);
  if (!allowed) return [texts.projectPath, texts.specials];
  return /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/i.test(path) ? [] : [texts.specials];
}

function groupPathProblems(path: string, isRoot: boolean): string[] {
  if (path === '') return [texts.blank];
  if (path.length > MAX_LENGTH) return [texts.long];
  const reserved = isRoot ? RESERVED_AT_TOP : RESERVED_BELOW;
  if (reserved.has(path.toLowerCase())) return [texts.reserved(path)];
  const allowed = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(path) && !/(?:\.|\.git|\.atom)$/i.test(path);
  return allowed ? [] : [texts.groupPath];
}

function collect(lists: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(lists).filter(([, problems]) => problems.length > 0));
}

/** A path made of a name that is none: accents dropped, everything else between letters and digits one dash. */
export function pathFromName(name: string): string {
  if (projectPathProblems(name).length === 0) return name;
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** GitLab prints a record's errors as Ruby prints a hash: `{:path=>["has already been taken"]}`. */
export function asRubyHash(errors: FieldErrors): string {
  const entries = Object.entries(errors).map(
    ([field, problems]) => `:${field}=>[${problems.map((problem) => JSON.stringify(problem)).join(', ')}]`,
  );
  return `{${entries.join(', ')}}`;
}
