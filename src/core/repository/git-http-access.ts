import type { IncomingHttpHeaders } from 'node:http';
import type { GitService } from '../../git/http/protocol.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Scope } from '../../platform/http/route.ts';
import type { ProjectAccess } from '../access/access.ts';
import type { Caller } from '../caller.ts';
import type { Core } from '../core.ts';
import { findProject, type ProjectWithNamespace } from '../projects/find.ts';
import { type ProjectSettings, projectSettings } from '../projects/settings.ts';
import { openBranches } from './push-rules.ts';

/** A repository that the caller may use in the way he asked for. */
export interface GitAccess {
  /** null: a public project read without credentials. */
  caller: Caller | null;
  project: ProjectWithNamespace;
  access: ProjectAccess;
  /** The path asked for, when the project has another one by now. */
  movedFrom: string | null;
}

const SCOPES: Record<GitService, readonly Scope[]> = {
  'git-upload-pack': ['read_repository', 'write_repository', 'api'],
  'git-receive-pack': ['write_repository', 'api'],
};

/**
 * Who asks, and whether he may fetch or push. Nothing that needs credentials is told apart from what is not there: without
 * any, both answer 401, so that git asks for them.
 */
export async function gitAccess(
  core: Core,
  asked: { path: string; service: GitService; headers: IncomingHttpHeaders },
): Promise<GitAccess> {
  const caller = await callerOf(core, asked);
  const found = asked.path.includes('/') ? await findProject(core.db, asked.path) : null;
  const access = found && (await core.access.project(caller, found.project));
  if (!found || !access?.visible) throw caller ? new ApiError('git_not_found') : accessDenied();
  await demandRight(core, asked.service, { caller, access, project: found.project });
  return { caller, project: found.project, access, movedFrom: found.moved ? asked.path : null };
}

async function callerOf(
  core: Core,
  { service, headers }: { service: GitService; headers: IncomingHttpHeaders },
): Promise<Caller | null> {
  const credentials = basicCredentials(headers.authorization);
  if (!credentials) {
    if (service === 'git-receive-pack') throw accessDenied();
    return null;
  }
  const caller = await identify(core, credentials);
  const scoped = caller.job !== null || SCOPES[service].some((scope) => caller.scopes.has(scope));
  if (!scoped) throw accessDenied();
  return caller;
}

async function identify(core: Core, { username, password }: Credentials): Promise<Caller> {
  try {
    const caller = await core.authenticator.forGit(username, password);
    if (caller) return caller;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    if (error.status === 403) throw refused(error.message.replace(/^403 Forbidden - /, ''));
    // unknown, expired or revoked: git clients get one answer for all of them
  }
  throw accessDenied();
}

async function demandRight(
  core: Core,
  service: GitService,
  { caller, access, project }: Omit<GitAccess, 'movedFrom'>,
): Promise<void> {
  const pushes = service === 'git-receive-pack';
  if (caller?.job) demandJobRight(pushes, caller.job.projectId === project.id, projectSettings(project));
  if (access.can(pushes ? 'push_code' : 'read_code')) return;
  // which of its branches is looked at when the refs are known
  if (pushes && (await openBranches({ core, project, access })).size > 0) return;
  if (!caller) throw accessDenied();
  if (!pushes) throw refused('You are not allowed to download code from this project.');
  throw refused(
    project.archived === 1
      ? 'You cannot push to this project: it is archived and read-only.'
      : 'You are not allowed to push code to this project.',
  );
}

/** A job fetches where its user may; it pushes only to its own project, and only where that allows it. */
function demandJobRight(pushes: boolean, own: boolean, settings: ProjectSettings): void {
  if (pushes && !(own && settings.ci_push_repository_for_job_token_allowed)) {
    throw refused('You are not allowed to upload code.');
  }
  if (!own && settings.ci_job_token_scope_enabled) {
    throw refused('Authentication by CI/CD job token not allowed for this project.');
  }
}

const refused = (text: string) => new ApiError('git_refused', { text });

const accessDenied = () =>
  new ApiError('git_unauthorized', {}, { headers: { 'www-authenticate': 'Basic realm="GitLab"' } });

interface Credentials {
  username: string;
  password: string;
}

/** Null when none were sent; what cannot be read counts as a wrong password. */
function basicCredentials(header: string | undefined): Credentials | null {
  if (header === undefined) return null;
  const encoded = /^Basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(header)?.[1];
  if (!encoded) throw accessDenied();
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw accessDenied();
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
