import { editTree } from '../../git/tree-edit.ts';
import { writeCommit } from '../../git/write.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import type { Project } from '../tables.ts';

/** The first commit of a project that asked for a README, on its default branch. */
export async function writeReadme(core: Core, actor: Actor, project: Project): Promise<void> {
  const repository = core.repositoryOf(project);
  const content = Buffer.from(
    project.description ? `# ${project.name}\n\n${project.description}\n` : `# ${project.name}\n`,
  );
  const tree = await editTree(repository, null, [{ action: 'create', path: 'README.md', content }]);
  const { name, email } = actor.user;
  const identity = { name, email, date: core.clock.now(), offset: '+00:00' };
  const commit = await writeCommit(repository, {
    tree,
    parents: [],
    author: identity,
    committer: identity,
    message: 'Initial commit',
  });
  const ref = `refs/heads/${project.default_branch}`;
  const origin = { userId: actor.user.id, via: 'api' } as const;
  await core.refUpdates.update(project, [{ ref, old: null, new: commit }], origin);
}
