import type { Readable } from 'node:stream';
import { ApiError } from '../../platform/errors.ts';

export type GitService = 'git-upload-pack' | 'git-receive-pack';

export interface GitReply {
  headers: Record<string, string>;
  /** Destroy it when the client is gone: that ends the git process. */
  stream: Readable;
}

/** What git's own http-backend sends with every answer: a ref may have moved the next moment. */
const NO_CACHE = {
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
  'cache-control': 'no-cache, max-age=0, must-revalidate',
};

export function replyHeaders(service: GitService, kind: 'advertisement' | 'result'): Record<string, string> {
  return { 'content-type': `application/x-${service}-${kind}`, ...NO_CACHE };
}

/**
 * The environment that asks git for the protocol version of the `Git-Protocol` header (`version=2`, or keys joined by `:`).
 * It is built anew from the number, so that nothing of the header itself reaches the environment. Pushing knows no version 2.
 */
export function protocolEnvironment(service: GitService, header: string | undefined): Record<string, string> {
  const versions = (header ?? '').slice(0, 200).split(':').flatMap(versionOf);
  const highest = Math.max(0, ...versions);
  if (highest === 0 || (service === 'git-receive-pack' && highest > 1)) return {};
  return { GIT_PROTOCOL: `version=${highest}` };
}

function versionOf(key: string): number[] {
  const match = /^version=([0-2])$/.exec(key);
  return match ? [Number(match[1])] : [];
}

/** True for gzip, false for a plain body; any other encoding is refused with 415. */
export function isGzip(contentEncoding: string | undefined): boolean {
  switch ((contentEncoding ?? 'identity').trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return true;
    case 'identity':
    case '':
      return false;
    default:
      throw new ApiError('unsupported_media_type', { type: contentEncoding });
  }
}
