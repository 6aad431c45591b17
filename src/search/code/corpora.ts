import type { Core } from '../../core/core.ts';
import { wikiPath } from '../../core/projects/wiki.ts';
import { resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { CorpusName } from './code-index.ts';
import { type CodeProject, findCodeProject } from './corpora-store.ts';

/** A searchable tree, and where it is. */
export interface Corpus {
  name: CorpusName;
  repository: Repository;
  /** The default branch; null where the repository's own HEAD says it. */
  branch: string | null;
}

export function codeOf({ git }: Pick<Core, 'git'>, project: CodeProject): Corpus {
  return {
    name: `project:${project.id}`,
    repository: git.repository(project.storage_path),
    branch: project.default_branch,
  };
}

export function wikiOf({ git }: Pick<Core, 'git'>, project: CodeProject): Corpus {
  return {
    name: `wiki:${project.id}`,
    repository: git.repository(wikiPath(project.storage_path)),
    branch: null,
  };
}

export const projectIdOf = (name: CorpusName): number => Number(name.slice(name.indexOf(':') + 1));
export const isWiki = (name: CorpusName): boolean => name.startsWith('wiki:');

/** Null when the project is gone. */
export async function findCorpus(core: Core, name: CorpusName): Promise<Corpus | null> {
  const project = await findCodeProject(core.db, projectIdOf(name));
  if (!project) return null;
  return isWiki(name) ? wikiOf(core, project) : codeOf(core, project);
}

/** The commit that the corpus should be indexed at: read from the repository's files, so cheap and fresh. Null when it has none. */
export function tipOf({ repository, branch }: Omit<Corpus, 'name'>): Promise<string | null> {
  return resolveRef(repository, branch === null ? 'HEAD' : `refs/heads/${branch}`);
}
