import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProjectsByIds } from '../../core/projects/store.ts';
import { type Commit, readCommit } from '../../git/objects.ts';
import { RepositoryNotFound } from '../../git/repository.ts';
import { searchedProjects } from '../area-store.ts';
import type { CommitIndex } from '../commit-index/commit-index.ts';
import type { FoundRow } from '../commit-index/store.ts';
import type { Search, SearchResult } from '../scope.ts';
import type { FindPipelines } from './ports.ts';
import { presentFound } from './present.ts';

interface Ports {
  commits: () => Promise<CommitIndex>;
  findPipelines: FindPipelines;
}

/**
 * Over many projects the index looks: for the text as it is, in messages, authors and beginnings of ids, behind the default
 * branches. A commit that several projects have is shown once, in the oldest of them.
 */
export async function searchOverProjects(search: Search, ports: Ports): Promise<SearchResult> {
  const { window, text } = search;
  const projects = text === '' ? [] : await searchedProjects(search, 'code');
  const ids = projects.map(({ id }) => id);
  const commits = await ports.commits();
  const { rows, more } = await commits.find(
    ids,
    text,
    window.by === 'number'
      ? { skip: window.page.offset, take: window.page.perPage }
      : { skip: 0, take: window.perPage, after: window.after },
  );
  const last = rows.at(-1);
  return {
    items: await present(search, rows, ports.findPipelines),
    facts: { hasNext: more },
    next: more && last ? { value: last.committed_at, id: last.id } : null,
    headers: { 'x-search-type': 'advanced' },
  };
}

async function present(search: Search, rows: FoundRow[], findPipelines: FindPipelines) {
  const { core, caller, baseUrl } = search;
  const projects = await findProjectsByIds(core.db, [...new Set(rows.map((row) => row.project_id))]);
  const access = await core.access.projects(caller, projects);
  const shown = new Map<FoundRow, unknown>();
  for (const project of projects) {
    const here = rows.filter((row) => row.project_id === project.id);
    const read = await readAll(search, project, here);
    const commits = read.map(({ commit }) => commit);
    const about = { project, access: access.get(project.id)!, baseUrl };
    const items = await presentFound(findPipelines, commits, about);
    for (const [at, { row }] of read.entries()) shown.set(row, items[at]);
  }
  return rows.flatMap((row) => shown.get(row) ?? []);
}

/** What was pushed away a moment ago may be gone already. */
async function readAll({ core, signal }: Search, project: ProjectWithNamespace, rows: FoundRow[]) {
  const repo = core.repositoryOf(project);
  const read = await Promise.all(
    rows.map(async (row) => ({ row, commit: await readIfThere(() => readCommit(repo, row.sha, signal)) })),
  );
  return read.filter((entry): entry is { row: FoundRow; commit: Commit } => entry.commit !== null);
}

async function readIfThere(read: () => Promise<Commit | null>): Promise<Commit | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RepositoryNotFound) return null;
    throw error;
  }
}
