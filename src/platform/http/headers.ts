import type { FastifyReply, FastifyRequest } from 'fastify';

const EXPOSED = [
  'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page',
  'X-Gitlab-Blob-Id, X-Gitlab-Commit-Id, X-Gitlab-Content-Sha256, X-Gitlab-Encoding, X-Gitlab-File-Name',
  'X-Gitlab-File-Path, X-Gitlab-Last-Commit-Id, X-Gitlab-Ref, X-Gitlab-Size, X-Request-Id, ETag',
].join(', ');

/** What every answer carries, whatever it says. */
export function standingHeaders(request: FastifyRequest, reply: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': request.id,
    'x-gitlab-meta': `{"correlation_id":"${request.id}","version":"1"}`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'x-runtime': (reply.elapsedTime / 1000).toFixed(6),
  };
  if (!request.raw.url?.startsWith('/api/')) return headers;
  headers['vary'] = 'Origin';
  // Nothing else may be read by the scripts of any web page: not the metrics, not a repository.
  if (request.headers.origin !== undefined) Object.assign(headers, forOtherOrigins(request));
  return headers;
}

const forOtherOrigins = ({ headers }: FastifyRequest): Record<string, string> => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
  'access-control-expose-headers': EXPOSED,
  'access-control-max-age': '7200',
});
