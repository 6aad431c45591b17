import { countCommits } from '../../git/ancestry.ts';
import { resolveRef } from '../../git/refs.ts';
import { type Repository, RepositoryNotFound } from '../../git/repository.ts';
import type { Core } from '../core.ts';
import type { Project } from '../tables.ts';
import type { StatisticsEntity } from './entities.ts';
import { wikiRepositoryOf } from './wiki.ts';

/** Sizes in bytes; what the service does not keep (packages, images) is 0. */
export async function projectStatistics(
  core: Core,
  projects: Project[],
): Promise<Map<number, StatisticsEntity>> {
  const ids = projects.map(({ id }) => id);
  const [artifacts, snippets] = await Promise.all([
    core.projectFigures.artifactBytes(ids),
    core.projectFigures.snippetBytes(ids),
  ]);
  const rows = await Promise.all(
    projects.map(async (project) => {
      const repository = await repositoryFigures(core, project);
      const sizes = {
        artifacts: artifacts.get(project.id) ?? 0,
        snippets: snippets.get(project.id) ?? 0,
        wiki: await bytesOf(wikiRepositoryOf(core, project)),
      };
      return [project.id, present(repository, sizes)] as const;
    }),
  );
  return new Map(rows);
}

interface RepositoryFigures {
  commits: number;
  bytes: number;
}

function present(
  { commits, bytes }: RepositoryFigures,
  { artifacts, snippets, wiki }: { artifacts: number; snippets: number; wiki: number },
): StatisticsEntity {
  return {
    commit_count: commits,
    storage_size: bytes + artifacts + snippets + wiki,
    repository_size: bytes,
    wiki_size: wiki,
    lfs_objects_size: 0,
    job_artifacts_size: artifacts,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: snippets,
    uploads_size: 0,
    container_registry_size: 0,
  };
}

async function repositoryFigures(core: Core, project: Project): Promise<RepositoryFigures> {
  const repository = core.repositoryOf(project);
  try {
    const head = await resolveRef(repository, `refs/heads/${project.default_branch}`);
    const commits = head === null ? 0 : await countCommits(repository, head);
    return { commits, bytes: await bytesOf(repository) };
  } catch (error) {
    if (!(error instanceof RepositoryNotFound)) throw error;
    return { commits: 0, bytes: 0 };
  }
}

/** 0 for a repository that is not there: most projects have no wiki, and one that is being deleted has nothing more. */
async function bytesOf(repository: Repository): Promise<number> {
  if (!(await repository.exists())) return 0;
  const report = (await repository.run(['count-objects', '-v'])).toString('latin1');
  // `size:` are the loose objects, `size-pack:` the packs, both in KiB
  const kib = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(report)?.[1] ?? 0);
  return (kib('size') + kib('size-pack')) * 1024;
}
