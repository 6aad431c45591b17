import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ApiError } from '../errors.ts';
import { Answer, Bytes, WrittenJson, weakEtag } from './answer.ts';
import { bringsForm, readForm } from './body.ts';
import { coerceParams } from './coerce.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import { standingHeaders } from './headers.ts';
import { emptyParams, isHash, parseFormEncoded, type RawParams } from './rack.ts';
import { ApiRequest, type CallerBase } from './request.ts';
import type { Method, RouteRecord, RouteSpec, Scope } from './route.ts';
import type { TObject } from './schema.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the caller is known, for the log line. */
    callerName?: string;
    /** The route's own pattern, where it is one of the API's. */
    pattern?: string;
  }
  interface FastifyContextConfig {
    /** The route's own pattern, for log and metrics. */
    pattern?: string;
  }
}

export interface AuthRequirements {
  /** Any of these is enough. */
  scopes: Scope[];
  jobToken: boolean;
}

/** Turns credentials into a caller, or throws 401 or 403. `core` provides it. */
export type Authenticate<Caller> = (
  credentials: Credentials,
  requirements: AuthRequirements,
) => Promise<Caller>;

/** Hears of every call before its guard, and throws 429 for one too many. */
export interface CountCalls {
  ofUser(userId: number): Promise<void>;
  /** Of a call that nobody is known for. */
  ofAddress(address: string): Promise<void>;
}

export type CheckAnswer = (route: RouteRecord, answer: Answer) => void;

export interface ApiOptions<Caller extends CallerBase> {
  server: FastifyInstance;
  authenticate: Authenticate<Caller>;
  /** The address that clients reach us by; asked for at each call, since port 0 is known only after listening. */
  baseUrl: () => string;
  countCalls?: CountCalls | undefined;
  /** Tests only: throws when an answer does not fit its published schema. */
  checkAnswer?: CheckAnswer | undefined;
}

const PREFIX = '/api/v4';

/**
 * Everything under `/api/v4`. A call goes through the same steps on every route: gather the parameters, authenticate,
 * guard, check the parameters, handle, write the answer.
 */
export class Api<Caller extends CallerBase> {
  readonly routes: RouteRecord[] = [];
  readonly #options: ApiOptions<Caller>;

  constructor(options: ApiOptions<Caller>) {
    this.#options = options;
  }

  /** Routes of one room; `tag` groups them in the OpenAPI document. Paths are below `/api/v4`. */
  room(tag: string) {
    return this.#methods<Caller>(tag, false);
  }

  /**
   * Routes that ask for no user, for callers that are none: runners and running jobs say who they are in the words of their
   * own protocol, which the handler must check. What else a call carries as proof is not looked at.
   */
  open(tag: string) {
    return this.#methods<null>(tag, true);
  }

  /** Runs `letGo` when the server begins to end: for calls that are held open until something happens. */
  onEnding(letGo: () => void): void {
    this.#options.server.addHook('preClose', async () => letGo());
  }

  #methods<C extends Caller | null>(tag: string, open: boolean) {
    const add =
      (method: Method) =>
      <P extends TObject, Guarded = undefined>(path: string, spec: RouteSpec<C, P, Guarded>) =>
        this.#add({ method, path, tag, open, spec } as unknown as RouteRecord);
    return {
      get: add('GET'),
      post: add('POST'),
      put: add('PUT'),
      patch: add('PATCH'),
      delete: add('DELETE'),
    };
  }

  #add(record: RouteRecord) {
    const { method, path, spec } = record;
    this.routes.push(record);
    const facts = factsOf(record);
    const route: RouteOptions = {
      method,
      url: PREFIX + path,
      config: { pattern: PREFIX + path, takesFormat: takesFormat(path, spec.params) },
      ...(spec.bodyLimit !== undefined && { bodyLimit: spec.bodyLimit }),
      handler: (request, reply) => this.#handle(facts, request, reply),
    };
    const { server } = this.#options;
    if (spec.ownBody) server.register(async (apart) => withOwnBody(apart).route(route));
    else server.route(route);
  }

  async #handle(facts: RouteFacts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { route } = facts;
    const { spec, method } = route;
    request.pattern = facts.pattern;
    if (bringsForm(request)) request.body = await readForm(request);
    const raw = gatherParams(request, spec.params);
    const caller = route.open ? null : await this.#callerOf(facts, request, raw);
    const path = request.params as Record<string, string>;
    const url = request.raw.url ?? '';
    const baseUrl = this.#options.baseUrl();
    const guarded = await spec.guard?.({ caller, method: request.method, path, raw, url, baseUrl });
    const params = coerceParams(spec.params, raw, spec.check?.(raw));
    const call = new ApiRequest({
      caller,
      params,
      guarded,
      raw,
      defaults: facts.defaults,
      id: request.id,
      path: pathOf(url),
      baseUrl,
      incoming: request.raw,
      outgoing: reply.raw,
    });
    const result = await spec.handler(call);
    const answer = result instanceof Answer ? result : new Answer(usualStatus(method, result), result);
    this.#options.checkAnswer?.(route, answer);
    return writeAnswer(request, reply, answer);
  }

  async #callerOf({ route, needs }: RouteFacts, request: FastifyRequest, raw: RawParams): Promise<Caller> {
    const { authenticate, countCalls } = this.#options;
    const credentials = readCredentials(request.headers, raw, route.spec.jobToken === true);
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const caller = await authenticate(credentials, reads ? needs.toRead : needs.toWrite).catch(
      async (error: unknown) => {
        if (error instanceof ApiError && error.status === 401) await countCalls?.ofAddress(request.ip);
        throw error;
      },
    );
    request.callerName = caller.user.username;
    await countCalls?.ofUser(caller.user.id);
    return caller;
  }
}

/** Parsers are a matter of a whole context: a route that wants none gets a context of its own. */
function withOwnBody(server: FastifyInstance): FastifyInstance {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _body, done) => done(null, undefined));
  return server;
}

/** POST makes something (201), an answer without content is 204, everything else is 200. */
function usualStatus(method: Method, result: unknown): number {
  if (result === undefined) return 204;
  return method === 'POST' ? 201 : 200;
}

/** What every call of a route needs to know and no call changes. */
interface RouteFacts {
  route: RouteRecord;
  /** For log and metrics. */
  pattern: string;
  needs: { toRead: AuthRequirements; toWrite: AuthRequirements };
  /** Declared values of parameters that are not sent. */
  defaults: RawParams;
}

function factsOf(route: RouteRecord): RouteFacts {
  const { scopes = [], jobToken = false, params } = route.spec;
  return {
    route,
    pattern: PREFIX + route.path,
    needs: {
      toRead: { scopes: [...scopes, 'api', 'read_api'], jobToken },
      toWrite: { scopes: [...scopes, 'api'], jobToken },
    },
    defaults: defaultsOf(params),
  };
}

/** Where an address ends in a word or a number, what follows a dot is no part of it. */
function takesFormat(path: string, schema: TObject): boolean {
  if ('format' in schema.properties) return false;
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (last === '*') return false;
  if (!last.startsWith(':')) return true;
  const child = schema.properties[last.slice(1)] as { type?: unknown } | undefined;
  return child?.type === 'integer';
}

const FORMATS: readonly unknown[] = ['json', 'txt', '', null, undefined];

/** `?format=` is Rails' own: whatever is not offered is refused, but where the route has a parameter of that name. */
function demandFormat({ format }: RawParams, schema: TObject): void {
  if ('format' in schema.properties || FORMATS.includes(format)) return;
  throw new ApiError('not_acceptable', { format: String(format).slice(0, 100) });
}

/** Path beats body beats query, in one flat set. */
function gatherParams(request: FastifyRequest, schema: TObject): RawParams {
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  const params = at < 0 ? emptyParams() : parseFormEncoded(url.slice(at + 1));
  demandFormat(params, schema);
  if (isHash(request.body)) Object.assign(params, request.body);
  const inPath = request.params as Record<string, string>;
  // Guards look things up by these before the parameters are checked.
  for (const name in inPath) if (inPath[name]?.includes('\0')) throw new ApiError('malformed_request');
  return Object.assign(params, inPath);
}

function defaultsOf(schema: TObject): RawParams {
  const defaults: RawParams = {};
  for (const [key, child] of Object.entries(schema.properties)) {
    const { default: value } = child as { default?: unknown };
    if (value !== undefined) defaults[key] = value;
  }
  return defaults;
}

const pathOf = (url: string) => {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
};

export function writeAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  const { status, headers, body } = answer;
  if (body === undefined || body instanceof Bytes) {
    return reply.code(status).headers(headers).send(body?.content);
  }
  const json = body instanceof WrittenJson ? body : unkept(body);
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (status !== 200 || !reads) return writeJson(request, reply, { status, headers, json });
  const etag = json.etag ?? weakEtag(json.text);
  const cached = { ...headers, etag, 'cache-control': 'max-age=0, private, must-revalidate' };
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).headers(cached).send();
  return writeJson(request, reply, { status, headers: cached, json });
}

type Json = Pick<WrittenJson, 'text' | 'length'> & { etag?: string };

function unkept(body: unknown): Json {
  const text = JSON.stringify(body);
  return { text, length: Buffer.byteLength(text) };
}

/**
 * Past the framework's reply, which would put a charset behind the type that GitLab's has not, and takes as long for its
 * headers as Node for the whole answer.
 */
function writeJson(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, json }: { status: number; headers: Record<string, string>; json: Json },
): FastifyReply {
  reply.hijack();
  const answered = {
    ...standingHeaders(request, reply),
    ...headers,
    'content-type': 'application/json',
    'content-length': json.length,
  };
  reply.raw.writeHead(status, answered).end(json.text);
  return reply;
}

/** Compared as RFC 9110 has it: any of a list, strong or weak alike, or `*`. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined || header === etag) return header === etag;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag));
}
