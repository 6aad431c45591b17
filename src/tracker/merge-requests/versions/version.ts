import type { Core } from '../../../core/core.ts';
import type { Project } from '../../../core/tables.ts';
import { mergeBase } from '../../../git/ancestry.ts';
import { diffTrees } from '../../../git/diff.ts';
import { resolveRef } from '../../../git/refs.ts';
import { type Repository, RepositoryNotFound } from '../../../git/repository.ts';

/** What a merge request offers, as the two branches are now. */
export interface Version {
  sha: string;
  /** Where the branches part; null when they have nothing in common. */
  base_sha: string | null;
  start_sha: string;
  /** Newest first. */
  commits: string[];
  changes_count: number;
  changes_overflow: number;
}

export interface Branches {
  source: { project: Pick<Project, 'id' | 'storage_path'>; branch: string };
  target: { project: Pick<Project, 'id' | 'storage_path'>; branch: string };
}

/** A merge request of more commits shows this many. */
const MAX_COMMITS = 10_000;

/** The tips of both branches; null for one that is not there. */
export async function tipsOf(core: Pick<Core, 'repositoryOf'>, { source, target }: Branches) {
  const [sourceTip, targetTip] = await Promise.all([tipOf(core, source), tipOf(core, target)]);
  return { sourceTip, targetTip };
}

export async function tipOf(
  core: Pick<Core, 'repositoryOf'>,
  { project, branch }: Branches['source'],
): Promise<string | null> {
  try {
    return await resolveRef(core.repositoryOf(project), `refs/heads/${branch}`);
  } catch (error) {
    if (error instanceof RepositoryNotFound) return null;
    throw error;
  }
}

/** Reads the version that has these tips. Objects of a fork are in the target's repository afterwards. */
export async function readVersion(
  core: Pick<Core, 'repositoryOf'>,
  { source, target }: Branches,
  { sourceTip, targetTip }: { sourceTip: string; targetTip: string },
): Promise<Version> {
  const repo = core.repositoryOf(target.project);
  if (source.project.id !== target.project.id) {
    await fetchCommit(repo, core.repositoryOf(source.project), sourceTip);
  }
  const base = await mergeBase(repo, [targetTip, sourceTip]);
  const { files, overflow } = await diffTrees(repo, base, sourceTip);
  return {
    sha: sourceTip,
    base_sha: base,
    start_sha: targetTip,
    commits: await commitsBetween(repo, targetTip, sourceTip, { limit: MAX_COMMITS }),
    changes_count: files.length,
    changes_overflow: overflow ? 1 : 0,
  };
}

/** Newest first. Both ids come from refs, so that neither can be an option. */
export async function commitsBetween(
  repo: Repository,
  from: string,
  to: string,
  { limit, signal }: { limit: number; signal?: AbortSignal | undefined },
): Promise<string[]> {
  const args = ['rev-list', `--max-count=${limit}`, `${from}..${to}`, '--'];
  return (await repo.run(args, { signal })).toString('latin1').split('\n').slice(0, -1);
}

/** By id, since the branch may have moved meanwhile; the fork's git is told to hand it out all the same. */
export async function fetchCommit(into: Repository, from: Repository, oid: string): Promise<void> {
  const uploadPack =
    "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true -c safe.directory='*' upload-pack";
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', uploadPack, '--', from.path, oid];
  await into.run(args, { config: { 'protocol.file.allow': 'always' } });
}
