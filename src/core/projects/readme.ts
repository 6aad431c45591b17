import { updateRefs } from '../../git/ref-update.ts';
import type { Repository } from '../../git/repository.ts';
import { editTree } from '../../git/tree-edit.ts';
import { writeCommit } from '../../git/write.ts';
import type { Actor } from '../caller.ts';

/** What the README says, and where it goes. */
export interface ReadmePlan {
  name: string;
  description: string | null;
  defaultBranch: string;
}

/** The first commit of a new project that asked for a README. Nobody knows the repository yet: its ref moves without telling. */
export async function writeReadme(
  repository: Repository,
  { name: title, description, defaultBranch }: ReadmePlan,
  { actor, now }: { actor: Actor; now: number },
): Promise<void> {
  const content = Buffer.from(description ? `# ${title}\n\n${description}\n` : `# ${title}\n`);
  const tree = await editTree(repository, null, [{ action: 'create', path: 'README.md', content }]);
  const { name, email } = actor.user;
  const identity = { name, email, date: now, offset: '+00:00' };
  const commit = await writeCommit(repository, {
    tree,
    parents: [],
    author: identity,
    committer: identity,
    message: 'Initial commit',
  });
  await updateRefs(repository, [{ ref: `refs/heads/${defaultBranch}`, old: null, new: commit }]);
}
