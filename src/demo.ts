import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Actor } from './core/caller.ts';
import type { Core } from './core/core.ts';
import { createProject } from './core/projects/create.ts';
import { importFromDisk } from './core/projects/import.ts';
import { findUser } from './core/users/store.ts';
import { listCommits } from './git/log.ts';
import { resolveRef } from './git/refs.ts';
import type { Service } from './service.ts';

/** This checkout: its own history is what a first start has to show. */
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const ABOUT = 'The history of Ingot itself';

/** What the lines to paste name. */
export interface Demo {
  projectPath: string;
  branch: string;
  newest: string;
  /** One before the newest, where the cherry-pick starts; null in a history of one commit. */
  before: string | null;
}

/** Makes `root/ingot` from this checkout's history, or from a README where there is no history (an installed package). */
export async function loadDemo(core: Core): Promise<Demo | null> {
  const root = await findUser(core.db, 1);
  if (!root) return null;
  const owner: Actor = { user: root, admin: true };
  const input = { name: 'ingot', description: ABOUT, visibility: 'public' as const };
  const project = (await hasHistory())
    ? await importFromDisk(core, { ...input, owner, from: CHECKOUT })
    : await createProject(core, owner, { ...input, initializeWithReadme: true });
  const branch = project.default_branch ?? 'main';
  const repo = core.repositoryOf(project);
  const tip = await resolveRef(repo, `refs/heads/${branch}`);
  if (tip === null) return null;
  const [newest, before] = await listCommits(repo, { from: tip, limit: 2, firstParent: true });
  if (!newest) return null;
  return { projectPath: project.full_path, branch, newest: newest.id, before: before?.id ?? null };
}

async function hasHistory(): Promise<boolean> {
  return stat(new URL('../.git', import.meta.url)).then(
    () => true,
    () => false,
  );
}

/** Runs `.gitlab-ci.yml` of the demo, as far as jobs get without a runner. False where there is no such file. */
export async function beginDemoPipeline(
  server: Pick<Service['server'], 'inject'>,
  { projectPath, branch }: Demo,
  token: string,
): Promise<boolean> {
  const { statusCode } = await server.inject({
    method: 'POST',
    url: `/api/v4/projects/${encodeURIComponent(projectPath)}/pipeline`,
    headers: { 'private-token': token },
    payload: { ref: branch },
  });
  return statusCode === 201;
}

/** The lines that a newcomer pastes into a terminal. */
export function demoLines(demo: Demo, url: string, token: string): string {
  const project = `${url}/api/v4/projects/${encodeURIComponent(demo.projectPath)}`;
  const curl = `curl -H "PRIVATE-TOKEN: ${token}"`;
  return [
    '# list commits',
    `${curl} "${project}/repository/commits"`,
    '# one diff',
    `${curl} "${project}/repository/commits/${demo.newest}/diff"`,
    '# cherry-pick to a new branch',
    `${curl} -d branch=try -d ref=${demo.before ?? demo.branch} "${project}/repository/branches"`,
    `${curl} -d branch=try "${project}/repository/commits/${demo.newest}/cherry_pick"`,
    '# a status',
    `${curl} -d state=success -d name=build "${project}/statuses/${demo.newest}"`,
    '# search the code',
    `${curl} "${url}/api/v4/search?scope=blobs&search=openService"`,
    '# jobs that wait for a runner (README.md says how to attach one)',
    `${curl} "${project}/jobs"`,
  ].join('\n');
}
