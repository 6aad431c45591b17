import type { IncomingHttpHeaders } from 'node:http';
import type { GitService } from '../../git/http/protocol.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Scope } from '../../platform/http/route.ts';
import { asItsUser, type Caller } from '../caller.ts';
import type { Core } from '../core.ts';
import { notAllowedText, reachesAsUser } from '../tokens/job-scope/scope.ts';
import { type FoundTarget, findTarget, type GitTarget } from './git-target.ts';

/** A repository that the caller may use in the way he asked for. */
export interface GitAccess extends FoundTarget {
  /** null: a public project read without credentials. */
  caller: Caller | null;
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
  const found = await findTarget(core, caller && asItsUser(caller), asked.path);
  if (!found) throw caller ? new ApiError('git_not_found') : accessDenied();
  if (caller?.job) await demandJobRight(core, caller, asked.service, found.target);
  const refusal = await found.target.refusal(asked.service);
  if (refusal !== null) throw caller ? refused(refusal) : accessDenied();
  await found.target.open(asked.service);
  return { caller, ...found };
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

/** A job fetches where it is let in, or where everybody may; it pushes only to its own project, and only where that allows it. */
async function demandJobRight(
  core: Core,
  caller: Caller,
  service: GitService,
  { project, repository, jobsMayPush }: GitTarget,
): Promise<void> {
  const jobProjectId = caller.job?.projectId ?? 0;
  if (service === 'git-receive-pack' && !(jobProjectId === project.id && jobsMayPush)) {
    throw refused('You are not allowed to upload code.');
  }
  if (await reachesAsUser(core.db, project, jobProjectId)) return;
  if (core.access.asStranger(caller, project).can(repository.wiki ? 'read_wiki' : 'read_code')) return;
  throw refused(await notAllowedText(core.db, project, jobProjectId));
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
