import type { IncomingHttpHeaders } from 'node:http';
import type { RawParams } from './rack.ts';

/** What a request offers as proof of who it is. Values are secrets: never logged, never in an error. */
export interface Credentials {
  /** `private_token` parameter, else `PRIVATE-TOKEN` header, else the bearer value: GitLab's order. */
  token: string | null;
  jobToken: string | null;
  /** Id or username to act for; the parameter wins over the header. */
  sudo: string | null;
}

/** Names that never leave the service again, in a `Link` for one. */
export const SECRET_PARAMS = new Set([
  'private_token',
  'access_token',
  'bearer_token',
  'job_token',
  'job-token',
  'token',
]);

export function readCredentials(
  headers: IncomingHttpHeaders,
  params: RawParams,
  jobTokenAllowed: boolean,
): Credentials {
  const bearer = bearerOf(headers) ?? text(params['access_token']) ?? text(params['bearer_token']);
  return {
    token: text(params['private_token']) ?? text(headers['private-token']) ?? bearer,
    jobToken: jobTokenAllowed
      ? (text(params['job_token']) ??
        text(params['job-token']) ??
        text(params['token']) ??
        text(headers['job-token']) ??
        bearer ??
        basicJobToken(headers))
      : null,
    sudo: text(params['sudo']) ?? text(headers['sudo']),
  };
}

function bearerOf(headers: IncomingHttpHeaders): string | null {
  const match = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** `gitlab-ci-token:TOKEN`, as a job's script gives it to curl; Basic is no way in for anybody else. */
function basicJobToken(headers: IncomingHttpHeaders): string | null {
  const match = /^Basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(headers.authorization ?? '');
  const [user, password] = Buffer.from(match?.[1] ?? '', 'base64')
    .toString()
    .split(':', 2);
  return user === 'gitlab-ci-token' ? text(password) : null;
}

/** An empty value counts as absent. */
function text(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
