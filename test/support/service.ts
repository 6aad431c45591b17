import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialectName } from '../../src/platform/db/migrate.ts';
import { formEncode } from '../../src/platform/http/rack.ts';
import { createLog } from '../../src/platform/log.ts';
import { openService, type Service, type ServiceOptions } from '../../src/service.ts';
import { checkAnswer } from './check-answer.ts';
import { createTestDatabase } from './databases.ts';

export interface CallOptions {
  /** The first administrator's by default; null sends none. */
  token?: string | null;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as `application/x-www-form-urlencoded`. */
  form?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  payload?: string | Buffer;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Parsed where it is JSON, null where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
  text: string;
  bytes: Buffer;
}

export interface TestService extends AsyncDisposable {
  service: Service;
  core: Service['core'];
  rootToken: string;
  baseUrl: string;
  dataDir: string;
  /** Calls `/api/v4` + path in process. */
  api(method: string, path: string, options?: CallOptions): Promise<Reply>;
  close(): Promise<void>;
}

export const ROOT_TOKEN = 'glpat-root-token-of-tests';

/**
 * A whole service on a fresh database and folder. It listens on a port of its own, so that `baseUrl`, git and real clients
 * work; `api` calls it in process. Every answer is held against its published schema.
 */
export async function startService({
  kind = 'sqlite',
  ...overrides
}: { kind?: DialectName } & Partial<ServiceOptions> = {}): Promise<TestService> {
  const database = await createTestDatabase(kind);
  const dataDir = kind === 'sqlite' ? database.dir : await mkdtemp(join(tmpdir(), 'ingot-service-'));
  const service = await openService({
    dataDir,
    databaseUrl: database.url,
    log: createLog('silent'),
    fsync: false,
    rootToken: ROOT_TOKEN,
    checkAnswer,
    ...overrides,
  });
  const baseUrl = await service.listen({ host: '127.0.0.1', port: 0 });
  const close = async () => {
    await service.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    service,
    core: service.core,
    rootToken: ROOT_TOKEN,
    baseUrl,
    dataDir,
    api: (method, path, options = {}) => call(service, method, `/api/v4${path}`, options),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function call(service: Service, method: string, path: string, options: CallOptions): Promise<Reply> {
  const { token = ROOT_TOKEN, body, form, query } = options;
  const headers: Record<string, string> = { ...(token && { 'private-token': token }) };
  let payload = options.payload;
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
    payload = JSON.stringify(body);
  } else if (form) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    payload = formEncode(form);
  }
  const separator = path.includes('?') ? '&' : '?';
  const response = await service.server.inject({
    method: method as 'GET',
    url: query ? `${path}${separator}${formEncode(query)}` : path,
    headers: { ...headers, ...options.headers },
    ...(payload !== undefined && { payload }),
  });
  const isJson = String(response.headers['content-type'] ?? '').includes('json');
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    body: isJson && response.payload !== '' ? JSON.parse(response.payload) : null,
    text: response.payload,
    bytes: response.rawPayload,
  };
}
