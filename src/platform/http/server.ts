import type { Socket } from 'node:net';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import { Away, Busy } from '../db/errors.ts';
import { ApiError, fail } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Cell, Metrics } from '../metrics.ts';
import { installBodyParsers } from './body.ts';
import { standingHeaders } from './headers.ts';
import { RoutingTable } from './methods.ts';
import { ClientGone, OWN_NAME } from './request.ts';
import { requestId } from './request-id.ts';

export interface ServerOptions {
  log: Log;
  metrics: Metrics;
  /** Bytes of a request body where a route sets no limit of its own. */
  bodyLimit?: number;
}

const DEFAULT_BODY_LIMIT = 10 * 1024 * 1024;
/** GitLab takes paths of any depth in one segment; Fastify's own bound of 100 characters would answer 414. */
const MAX_PARAM_LENGTH = 16_384;

const unused = () => {
  throw new Error('parameters and answers are checked in api.ts, routes give the framework no schema');
};
/** In place of the framework's own, which it would load at the start: 140 modules, 5 MB, a tenth of the time to the first answer. */
const NO_COMPILERS = { buildValidator: unused, buildSerializer: unused };

/** Fastify, taught to answer like GitLab: its errors, its headers, its silence about what runs behind. */
export function createServer({
  log,
  metrics,
  bodyLimit = DEFAULT_BODY_LIMIT,
}: ServerOptions): FastifyInstance {
  const routes = new RoutingTable({ maxParamLength: MAX_PARAM_LENGTH });
  const server = fastify({
    logger: false,
    bodyLimit,
    genReqId: () => requestId(),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    // While it ends, what still arrives on open connections is answered as usual, and not by the framework's own page.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true, caseSensitive: true },
    rewriteUrl: ({ url = '' }) => routes.withoutFormat(url),
    schemaController: { compilersFactory: NO_COMPILERS },
    frameworkErrors: (error, request, reply) => {
      reply.headers(standingHeaders(request, reply));
      answerError(log, error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket as Socket),
  });
  routes.follow(server);
  installBodyParsers(server);
  server.decorateRequest('callerName');
  server.decorateRequest('pattern');
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(standingHeaders(request, reply));
    done(null, payload);
  });
  server.setErrorHandler((error: FastifyError, request, reply) => answerError(log, error, request, reply));
  server.setNotFoundHandler((request, reply) => answerUnknown(log, request, reply));
  countRequests(server, log, metrics);
  return server;
}

function answerError(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // The answer's side: Node counts a request as destroyed as soon as its body has been read to the end.
  if (error instanceof ClientGone || reply.raw.destroyed) {
    reply.code(499).send();
    return;
  }
  const known = error instanceof ApiError ? error : translate(error, log);
  if (known === null) {
    log.error({ id: request.id, route: request.routeOptions?.config?.pattern, err: error }, 'request failed');
  }
  writeError(reply, known ?? new ApiError('internal'));
}

function writeError(reply: FastifyReply, error: ApiError): void {
  reply.code(error.status).headers(error.headers);
  reply.removeHeader('etag');
  if (typeof error.body === 'string') reply.type('text/plain').send(error.body);
  else reply.header('content-type', 'application/json').send(Buffer.from(JSON.stringify(error.body)));
}

/** The framework's own refusals in GitLab's words. Anything else is our fault: 500 without a detail, the detail in the log. */
function translate(error: unknown, log: Log): ApiError | null {
  if (error instanceof Busy || error instanceof Away) {
    log.warn({ err: error }, 'the database could not serve a request');
    return fail.unavailable();
  }
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('too_large');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('malformed_request');
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_PARAM_TOO_LONG':
      return new ApiError('uri_too_long');
    default:
      return null;
  }
}

function answerUnknown(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const url = request.raw.url ?? '';
  if (/^\/api\/v3(\/|$)/.test(url)) {
    writeError(reply, new ApiError('gone_v3'));
    return;
  }
  const methods = request.server.methodsFor(url);
  if (request.method === 'OPTIONS' && methods.length > 0) {
    reply
      .code(204)
      .header('allow', ['OPTIONS', ...methods].join(', '))
      .send();
    return;
  }
  answerError(log, new ApiError('no_route'), request, reply);
}

/** What Node refuses before there is a request: a head over 16 kB, bytes that are no HTTP. */
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ApiError('headers_too_large')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new ApiError('request_timeout')
        : fail.badRequest('malformed HTTP');
  const body = JSON.stringify(refusal.body);
  socket.end(
    `HTTP/1.1 ${refusal.status} Refused\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** One log line and one count a request of others. No query, header or body: they can hold secrets. */
function countRequests(server: FastifyInstance, log: Log, metrics: Metrics): void {
  const requests = requestCells(metrics);
  const seconds = metrics.histogram(
    'ingot_http_request_seconds',
    'time to answer',
    ['route'],
    [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  );
  const writesLines = log.isLevelEnabled('info');
  server.addHook('onResponse', (request, reply, done) => {
    const { id, method, callerName: user } = request;
    if (user === OWN_NAME) {
      done();
      return;
    }
    const route = request.pattern ?? request.routeOptions.config?.pattern ?? 'none';
    const status = reply.statusCode;
    const elapsed = reply.elapsedTime;
    requests(method, route, status).count++;
    seconds.observe({ route }, elapsed / 1000);
    if (writesLines) {
      log.info({ id, user, method, route, status, ms: Math.round(elapsed * 100) / 100 }, 'request');
    }
    done();
  });
}

/** The count of each kind of request. Methods, routes and statuses are few: routes are patterns, and what has none is `none`. */
function requestCells(metrics: Metrics): (method: string, route: string, status: number) => Cell {
  const tally = metrics.tally('ingot_http_requests_total', 'requests answered', [
    'method',
    'route',
    'status',
  ]);
  const cells = new Map<string, Cell>();
  return (method, route, status) => {
    const key = `${method} ${route} ${status}`;
    let cell = cells.get(key);
    if (!cell) {
      cell = tally.cell({ method, route, status });
      cells.set(key, cell);
    }
    return cell;
  };
}
