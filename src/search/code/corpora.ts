import { resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { CorpusName } from './code-index.ts';

/** A searchable tree, and where it is. */
export interface Corpus {
  name: CorpusName;
  repository: Repository;
  /** The default branch; null where the repository's own HEAD says it. */
  branch: string | null;
}

/** The commit that the corpus should be indexed at: read from the repository's files, so cheap and fresh. Null when it has none. */
export function tipOf({ repository, branch }: Corpus): Promise<string | null> {
  return resolveRef(repository, branch === null ? 'HEAD' : `refs/heads/${branch}`);
}
