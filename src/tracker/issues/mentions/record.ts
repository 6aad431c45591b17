import type { Core } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { projectSettings } from '../../../core/projects/settings.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import { readCommits } from '../../../git/objects.ts';
import { RepositoryNotFound } from '../../../git/repository.ts';
import { listCommitIds } from '../../merge-requests/versions/commits-store.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { namedIssues } from './named.ts';
import { issueReferences } from './references.ts';
import { replaceMentions } from './store.ts';

/** Messages of more commits are not read. */
const MAX_COMMITS = 200;

/** Writes down which issues the merge request names in its title, its description and its commits. May be done twice. */
export async function recordMentions(core: Core, row: MergeRequestRow): Promise<void> {
  const project = await findProjectById(core.db, row.project_id);
  if (!project) return;
  const texts = [row.title, row.description ?? '', ...(await messagesOf(core, project, row))];
  const references = issueReferences(texts.join('\n\n'), core.baseUrl());
  const closing =
    row.target_branch === project.default_branch && projectSettings(project).autoclose_referenced_issues;
  const mentions = await namedIssues(core, project, references, closing);
  await core.database.transaction((tx) => replaceMentions(tx, row.id, mentions));
}

async function messagesOf(
  core: Core,
  project: ProjectWithNamespace,
  row: MergeRequestRow,
): Promise<string[]> {
  const ids = await listCommitIds(core.db, row.id, { limit: MAX_COMMITS, offset: 0 });
  try {
    const commits = await readCommits(core.repositoryOf(project), ids);
    return commits.flatMap((commit) => commit?.message ?? []);
  } catch (error) {
    // the project is being deleted: what it names matters no more
    if (error instanceof RepositoryNotFound) return [];
    throw error;
  }
}
