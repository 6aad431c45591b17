import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors.ts';

/**
 * For DELETE: throws 412 when `If-Unmodified-Since` names a time before the thing last changed (milliseconds). A date that
 * cannot be read counts as none, as on GitLab.
 */
export function demandUnmodified(headers: IncomingHttpHeaders, changedAt: number | null): void {
  const since = Date.parse(String(headers['if-unmodified-since'] ?? ''));
  if (Number.isNaN(since) || changedAt === null) return;
  // The header knows whole seconds only.
  if (Math.floor(changedAt / 1000) * 1000 > since) throw new ApiError('precondition_failed');
}
