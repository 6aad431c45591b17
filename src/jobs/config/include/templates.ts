/**
 * What `include: template` may name: our own, since GitLab's are not ours to give. By their names without `.gitlab-ci.yml`; those of
 * GitLab that say little more than their names are here under them, so that configurations that begin with one are read.
 */
export const TEMPLATES: ReadonlyMap<string, string> = new Map([
  [
    'Workflows/Branch-Pipelines',
    `# Pipelines of branches and tags; merge requests show those of their branch.
workflow:
  rules:
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH
`,
  ],
  [
    'Workflows/MergeRequest-Pipelines',
    `# Pipelines of merge requests, of tags and of the default branch; other branches have none of their own.
workflow:
  rules:
    - if: $CI_MERGE_REQUEST_IID
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
  ],
]);

const ENDING = '.gitlab-ci.yml';

/** The text that `include: template` gets for a name; null where it names none, undefined where it is no such name. */
export function templateNamed(written: string): string | null | undefined {
  if (!written.endsWith(ENDING)) return undefined;
  return TEMPLATES.get(written.slice(0, -ENDING.length)) ?? null;
}
