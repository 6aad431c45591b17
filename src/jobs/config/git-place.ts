import type { Visitor } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProject } from '../../core/projects/find.ts';
import type { Project } from '../../core/tables.ts';
import { findEntry, readBlob, readInfo } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { resolveRevision } from '../../git/revision.ts';
import { Breath } from './breath.ts';
import type { PathPattern } from './glob.ts';
import { fetchRemote } from './include/remote.ts';
import { namesIn } from './names.ts';
import type { ConfigPlace } from './source.ts';
import { MAX_BYTES } from './yaml/read.ts';

/** Some 500,000 paths. */
const MAX_LISTING_BYTES = 64 * 1024 * 1024;
const PATHS_IN_A_BREATH = 500;
/** Kept for the time of one reading. */
const MAX_LISTINGS = 4;

type Deps = Pick<Core, 'db' | 'access' | 'repositoryOf' | 'settings'>;

interface PlaceOf {
  project: Project;
  fullPath: string;
  /** null: a repository without commits, and so without files. */
  sha: string | null;
  /** For whom files of other projects are read. */
  user: Visitor;
  signal?: AbortSignal;
}

/** A commit of a project as a place of configurations: reads over git, other projects by the rights of the user. */
export function gitPlace(core: Deps, { project, fullPath, sha, user, signal }: PlaceOf): ConfigPlace {
  const repo = core.repositoryOf(project);
  const list = listings((path) => listBelow(repo, { sha: sha ?? '', path, signal }));
  return {
    project: fullPath,
    sha: sha ?? '',
    read: async (path) => (sha === null ? null : readText(repo, { sha, path, signal })),
    match: async (pattern) => (sha === null ? [] : matching(pattern, { repo, sha, signal, list })),
    other: (name, ref) => otherPlace(core, { name, ref, user, signal }),
    remote: (url, written) => fetchRemote(core.settings, { url, written }),
  };
}

async function otherPlace(
  core: Deps,
  {
    name,
    ref,
    user,
    signal,
  }: { name: string; ref: string | null; user: Visitor; signal?: AbortSignal | undefined },
): Promise<ConfigPlace | 'unknown project' | 'unknown ref'> {
  const path = name.replace(/^\//, '');
  const isPath = path.includes('/') && !path.includes('\0');
  const project = isPath ? (await findProject(core.db, path))?.project : undefined;
  if (!project || !(await core.access.project(user, project)).can('read_code')) return 'unknown project';
  const sha = await resolveRevision(core.repositoryOf(project), ref ?? 'HEAD', signal);
  if (sha === null) return 'unknown ref';
  return gitPlace(core, { project, fullPath: project.full_path, sha, user, ...(signal && { signal }) });
}

interface FileOf {
  sha: string;
  path: string;
  signal: AbortSignal | undefined;
}

async function readText(repo: Repository, { sha, path, signal }: FileOf): Promise<string | null> {
  const entry = isPath(path) ? await findEntry(repo, sha, path, signal) : null;
  const info = entry?.type === 'blob' ? await readInfo(repo, entry.oid, signal) : null;
  if (!info) return null;
  if (info.size > MAX_BYTES) return tooBigText();
  const bytes = await readBlob(repo, info.oid, { maxBytes: MAX_BYTES, ...(signal && { signal }) });
  return bytes?.toString('utf8') ?? null;
}

/** Stands for a file that nobody will read, so that whoever tries is told that it is too big and not that it is not there. */
const tooBigText = (): string => '#'.repeat(MAX_BYTES + 1);

const isPath = (path: string): boolean => path !== '' && !path.endsWith('/') && !path.includes('\0');

/** Rules mostly ask about a few folders again and again. */
function listings(list: (folder: string) => Promise<string[]>): (folder: string) => Promise<string[]> {
  const known = new Map<string, Promise<string[]>>();
  return (folder) => {
    const before = known.get(folder);
    if (before) return before;
    if (known.size >= MAX_LISTINGS) known.clear();
    const listed = list(folder);
    known.set(folder, listed);
    return listed;
  };
}

interface Listed extends Pick<FileOf, 'sha' | 'signal'> {
  repo: Repository;
  list: (folder: string) => Promise<string[]>;
}

/** A plain path is asked for itself; else what lies below the part that is plain. */
async function matching(
  { exact, folder, matches }: PathPattern,
  { repo, sha, signal, list }: Listed,
): Promise<string[]> {
  if ((exact ?? folder).startsWith('/')) return [];
  if (exact !== null) {
    const entry = isPath(exact) ? await findEntry(repo, sha, exact, signal) : null;
    return entry?.type === 'blob' ? [exact] : [];
  }
  const paths = await list(folder);
  const breath = new Breath();
  const found: string[] = [];
  for (const [index, path] of paths.entries()) {
    if (matches(path)) found.push(path);
    if (index % PATHS_IN_A_BREATH === 0) await breath.take();
  }
  return found;
}

async function listBelow(repo: Repository, { sha, path, signal }: FileOf): Promise<string[]> {
  const folder = path === '' ? null : await findEntry(repo, sha, path, signal);
  if (path !== '' && folder?.type !== 'tree') return [];
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', folder?.oid ?? sha];
  const output = await repo.run(args, { maxBytes: MAX_LISTING_BYTES, ...(signal && { signal }) });
  const names = await namesIn(output);
  return folder ? names.map((name) => `${path}/${name}`) : names;
}
