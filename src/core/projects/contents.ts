import { readTree } from '../../git/objects.ts';
import { listRefs, resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { Core } from '../core.ts';
import type { Project } from '../tables.ts';

/** What can be told of a project from its repository itself. */
export interface Contents {
  empty: boolean;
  /** Its name in the root folder. */
  readme: string | null;
}

/** A repository that is missing or broken must not take a whole list with it: it shows as empty, and in the log. */
export async function contentsOf(core: Core, project: Project): Promise<Contents> {
  const repository = core.repositoryOf(project);
  try {
    const branches = await listRefs(repository, 'refs/heads/');
    if (branches.length === 0) return { empty: true, readme: null };
    return { empty: false, readme: await findReadme(repository, project.default_branch) };
  } catch (error) {
    core.log.error({ err: error, project: project.id }, 'the repository cannot be read');
    return { empty: true, readme: null };
  }
}

const README = /^readme(?:\.(?:md|markdown|mdown|mkdn?|rst|adoc|asciidoc|org|txt|rdoc|textile|wiki))?$/i;

/** Marked-up before plain, as GitLab chooses. */
async function findReadme(repository: Repository, branch: string | null): Promise<string | null> {
  const commit = branch === null ? null : await resolveRef(repository, `refs/heads/${branch}`);
  const entries = commit === null ? null : await readTree(repository, commit);
  const names = (entries ?? [])
    .filter(({ type, name }) => type === 'blob' && README.test(name))
    .map(({ name }) => name);
  return names.find((name) => name.includes('.') && !name.toLowerCase().endsWith('.txt')) ?? names[0] ?? null;
}
