/**
 * The one registry of errors. Every answer that is no success is made here, in one of GitLab's two body shapes:
 * `{"message": …}` for what the service decides, `{"error": …}` for what the parameter and route layer decides.
 * `docs/errors.md` lists the rows; a test fails when the two differ.
 */

type Shape = 'message' | 'error' | 'oauth' | 'nested' | 'text';

interface Row {
  status: number;
  shape: Shape;
  /** `{name}` is replaced by the value of that name. */
  template: string;
}

const row = (status: number, shape: Shape, template: string): Row => ({ status, shape, template });

export const registry = {
  moved: row(301, 'text', 'This resource has been moved permanently to {url}'),
  bad_request: row(400, 'message', '400 Bad request'),
  bad_request_reason: row(400, 'message', '400 Bad request - {reason}'),
  invalid_params: row(400, 'error', '{problems}'),
  refused: row(400, 'message', '{text}'),
  invalid_record: row(400, 'message', '{fields}'),
  malformed_json: row(400, 'error', 'message body does not match declared format'),
  malformed_request: row(400, 'text', 'Bad Request'),
  unauthorized: row(401, 'message', '401 Unauthorized'),
  token_expired: row(
    401,
    'oauth',
    'invalid_token: Token is expired. You can either do re-authorization or token refresh.',
  ),
  token_revoked: row(
    401,
    'oauth',
    'invalid_token: Token was revoked. You have to re-authorize from the user.',
  ),
  git_unauthorized: row(
    401,
    'text',
    "HTTP Basic: Access denied. If a password was provided for Git authentication, the password was incorrect or you're required to use a token instead of a password.",
  ),
  forbidden: row(403, 'message', '403 Forbidden'),
  forbidden_reason: row(403, 'message', '403 Forbidden - {reason}'),
  forbidden_text: row(403, 'message', '{text}'),
  insufficient_scope: row(
    403,
    'oauth',
    'insufficient_scope: The request requires higher privileges than provided by the access token.',
  ),
  git_refused: row(403, 'text', '{text}'),
  not_found: row(404, 'message', '404 Not Found'),
  record_not_found: row(404, 'message', '404 Not found'),
  resource_not_found: row(404, 'message', '404 {resource} Not Found'),
  no_route: row(404, 'error', '404 Not Found'),
  git_not_found: row(
    404,
    'text',
    "The project you were looking for could not be found or you don't have permission to view it.",
  ),
  git_no_wiki: row(404, 'text', 'A repository for this wiki does not exist yet.'),
  method_not_allowed: row(405, 'message', '{text}'),
  keyset_refused: row(405, 'error', '{text}'),
  not_cancelable: row(406, 'message', '{text}'),
  not_acceptable: row(406, 'error', "The requested format '{format}' is not supported."),
  request_timeout: row(408, 'message', '408 Request Timeout'),
  search_timeout: row(408, 'nested', 'Request timed out'),
  conflict: row(409, 'message', '{text}'),
  gone_v3: row(410, 'error', 'API V3 is no longer supported. Use API V4 instead.'),
  registration_gone: row(410, 'message', '410 Gone - runner registration disallowed'),
  precondition_failed: row(412, 'message', '412 Precondition Failed'),
  too_large: row(413, 'message', '413 Request Entity Too Large'),
  too_large_text: row(413, 'message', '{text}'),
  uri_too_long: row(414, 'message', '414 URI Too Long'),
  unsupported_media_type: row(415, 'error', "The provided content-type '{type}' is not supported."),
  range_not_satisfiable: row(416, 'message', '416 Range Not Satisfiable'),
  unprocessable: row(422, 'message', '{text}'),
  rate_limited: row(429, 'nested', 'This endpoint has been requested too many times. Try again later.'),
  throttled: row(429, 'text', '{text}'),
  headers_too_large: row(431, 'message', '431 Request Header Fields Too Large'),
  internal: row(500, 'message', '500 Internal Server Error'),
  unavailable: row(503, 'message', '503 Service Unavailable'),
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof registry;

/** Field name to the list of what is wrong with it, GitLab's shape for a record that does not validate. */
export type FieldErrors = Record<string, string[]>;

export interface ErrorDetails {
  [placeholder: string]: string | readonly string[] | FieldErrors | undefined;
}

export interface ErrorExtras {
  /** Keys that GitLab adds to the body, `error_code` for one. */
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An answer that refuses. Thrown anywhere below a route, turned into a response in one place (`platform/http`). */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly body: Record<string, unknown> | string;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, details: ErrorDetails = {}, extras: ErrorExtras = {}) {
    const { status, shape, template } = registry[code];
    const only = Object.values(details)[0];
    const value = typeof only === 'object' ? only : fill(template, details);
    super(typeof value === 'string' ? value : JSON.stringify(value), { cause: extras.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.headers = extras.headers ?? {};
    this.body = bodyOf(shape, value, extras.body);
  }
}

function fill(template: string, details: ErrorDetails): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ''));
}

function bodyOf(
  shape: Shape,
  value: string | readonly string[] | FieldErrors,
  extra: Record<string, unknown> = {},
) {
  switch (shape) {
    case 'text':
      return String(value);
    case 'message':
      return { message: value, ...extra };
    case 'nested':
      return { message: { error: value }, ...extra };
    case 'error':
      return { error: value, ...extra };
    case 'oauth': {
      const [error, description] = String(value).split(': ', 2);
      return { error, error_description: description, ...extra };
    }
  }
}

/** The refusals that many rooms need, by the words a reader would use. */
export const fail = {
  badRequest: (reason: string, extras?: ErrorExtras) =>
    new ApiError('bad_request_reason', { reason }, extras),
  /** 400 with a bare text, as GitLab's services answer. */
  refused: (text: string, extras?: ErrorExtras) => new ApiError('refused', { text }, extras),
  /** 400 `{"error": …}`: the parameter layer's own words. */
  params: (problems: string) => new ApiError('invalid_params', { problems }),
  /** 400 `{"message": {"field": ["text"]}}`. */
  invalid: (fields: FieldErrors) => new ApiError('invalid_record', { fields }),
  unauthorized: () => new ApiError('unauthorized'),
  forbidden: (reason?: string) =>
    reason ? new ApiError('forbidden_reason', { reason }) : new ApiError('forbidden'),
  /** `fail.notFound('Project')` gives GitLab's `404 Project Not Found`. */
  notFound: (resource?: string) =>
    resource ? new ApiError('resource_not_found', { resource }) : new ApiError('not_found'),
  /** A record looked up by its number is not there: GitLab's text with a small f. */
  recordNotFound: () => new ApiError('record_not_found'),
  /** Several texts give GitLab's list of them. */
  conflict: (text: string | readonly string[] | FieldErrors) => new ApiError('conflict', { text }),
  unprocessable: (text: string | readonly string[]) => new ApiError('unprocessable', { text }),
  unavailable: (retryAfterSeconds = 1) =>
    new ApiError('unavailable', {}, { headers: { 'retry-after': String(retryAfterSeconds) } }),
};
