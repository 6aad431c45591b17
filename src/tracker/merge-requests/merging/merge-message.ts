import type { User } from '../../../core/tables.ts';
import type { Commit } from '../../../git/objects.ts';
import type { MergeRequestRow } from '../../tables.ts';

/** GitLab's own templates, used where the project has none. */
const MERGE_TEMPLATE = `Merge branch '%{source_branch}' into '%{target_branch}'

%{title}

%{issues}

See merge request %{reference}`;
const SQUASH_TEMPLATE = '%{title}';

export interface MessageFacts {
  mergeRequest: MergeRequestRow;
  /** Full path of the target project. */
  fullPath: string;
  /** The other project's full path, for a fork. */
  sourcePath: string | null;
  /** Newest first. */
  commits: readonly Commit[];
  url: string;
  author: User | undefined;
  merger: User;
  approvers: readonly User[];
  reviewers: readonly User[];
  /** References to the issues that the merge closes. */
  closes: readonly string[];
}

export const mergeMessage = (template: string | null, facts: MessageFacts): string =>
  fill(template || MERGE_TEMPLATE, facts);

export const squashMessage = (template: string | null, facts: MessageFacts): string =>
  fill(template || SQUASH_TEMPLATE, facts);

/** A line that holds nothing but a variable without a value is left out, with the blank line it leaves behind. */
function fill(template: string, facts: MessageFacts): string {
  const values = valuesOf(facts);
  const variable = /%\{(\w+)\}/g;
  const lines = template.split(/\r?\n/).flatMap((line) => {
    const filled = line.replace(variable, (whole, name: string) => values.get(name) ?? whole);
    return filled.trim() === '' && line.trim() !== '' ? [] : [filled];
  });
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Nothing where there is none, as in GitLab. */
function valuesOf(facts: MessageFacts): Map<string, string> {
  const { mergeRequest, fullPath, sourcePath, commits, url, author, merger } = facts;
  return new Map([
    ['source_branch', mergeRequest.source_branch],
    ['target_branch', mergeRequest.target_branch],
    ['source_project_id', String(mergeRequest.source_project_id ?? '')],
    ['source_project_path', sourcePath ?? fullPath],
    ['title', mergeRequest.title],
    ['description', mergeRequest.description ?? ''],
    ['reference', `${fullPath}!${mergeRequest.iid}`],
    ['local_reference', `!${mergeRequest.iid}`],
    ['url', url],
    ['issues', closing(facts.closes)],
    ['approved_by', trailers('Approved-by', facts.approvers)],
    ['reviewed_by', trailers('Reviewed-by', facts.reviewers)],
    ['merge_request_author', author ? person(author) : ''],
    ['merged_by', person(merger)],
    ['first_commit', commits.at(-1)?.message.trim() ?? ''],
    ['first_multiline_commit', firstMultiline(commits)?.message.trim() ?? mergeRequest.title],
    ['all_commits', commits.map((commit) => `* ${commit.message.trim()}`).join('\n\n')],
    ['co_authored_by', coAuthors(commits, merger).join('\n')],
  ]);
}

/** `Closes #1, #2 and #3` */
function closing(references: readonly string[]): string {
  const last = references.at(-1);
  if (last === undefined) return '';
  const others = references.slice(0, -1).join(', ');
  return others ? `Closes ${others} and ${last}` : `Closes ${last}`;
}

const trailers = (name: string, users: readonly User[]) =>
  users.map((user) => `${name}: ${person(user)}`).join('\n');

const person = ({ name, email }: { name: string; email: string }) => `${name} <${email}>`;

function coAuthors(commits: readonly Commit[], merger: User): string[] {
  const others = commits.filter(({ author }) => author.email !== merger.email);
  return [...new Set(others.map(({ author }) => `Co-authored-by: ${person(author)}`))];
}

/** Oldest first: the text that explains the change rather than the last correction. */
const firstMultiline = (commits: readonly Commit[]) =>
  [...commits].reverse().find(({ message }) => message.trim().includes('\n'));
