import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { commitRoutes } from './commits/routes.ts';
import { adminRoutes } from './core/admin/routes.ts';
import { ensureRoot } from './core/bootstrap.ts';
import type { Caller } from './core/caller.ts';
import { type Core, type CoreApi, openCore } from './core/core.ts';
import { metaRoutes } from './core/meta/routes.ts';
import { isItself, OwnRequests } from './core/own-requests.ts';
import { placeRoutes } from './core/places.ts';
import { removeUnclaimedRepositories } from './core/projects/storage.ts';
import { gitHttpRoutes } from './core/repository/git-http.ts';
import { repositoryRoutes } from './core/repository/routes.ts';
import { keepRepositoriesFast } from './core/repository/subscriptions.ts';
import { settingsRoutes } from './core/settings/routes.ts';
import { Throttles } from './core/throttles.ts';
import { tokenRoutes } from './core/tokens/routes.ts';
import { avatarRoute } from './core/users/avatar-route.ts';
import { confirmationPage } from './core/users/emails/confirmation-page.ts';
import { userRoutes } from './core/users/routes.ts';
import { readAnyUser } from './core/users/store.ts';
import { openGit } from './git/git.ts';
import { Housekeeping } from './git/housekeeping.ts';
import { SmartHttp } from './git/http/smart-http.ts';
import { notificationSource as pipelineSource } from './jobs/notification-source.ts';
import { type Jobs, openJobs } from './jobs/open.ts';
import { headPipeline, pipelinesByCommit, pipelinesOfCommits } from './jobs/pipelines/head-pipelines.ts';
import { allMigrations } from './migrations.ts';
import { openNotifications } from './notifications/open.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { openDatabase } from './platform/db/database.ts';
import { Events } from './platform/events/events.ts';
import { Api, type CheckAnswer } from './platform/http/api.ts';
import { drain } from './platform/http/drain.ts';
import { healthRoutes } from './platform/http/health.ts';
import { openApiRoute } from './platform/http/openapi.ts';
import { createServer } from './platform/http/server.ts';
import type { Log } from './platform/log.ts';
import { Metrics } from './platform/metrics.ts';
import { openDiskStore } from './platform/objects/disk.ts';
import { searchAdminRoutes } from './search/admin/routes.ts';
import { type CodeSearchService, openCodeSearch } from './search/code/open.ts';
import { searchRoutes } from './search/routes.ts';
import { searchScopes } from './search/scopes.ts';
import { WarmUp } from './search/warm-up.ts';
import { DueReminders } from './tracker/issues/due/reminders.ts';
import { mergeRequestsForPipelines } from './tracker/merge-requests/for-pipelines.ts';
import { notificationSource as trackerSource } from './tracker/notification-sources/sources.ts';
import { trackerRoutes } from './tracker/routes.ts';
import { subscribe } from './tracker/subscriptions/subscribe.ts';

export interface ServiceOptions {
  /** Made if it is not there. */
  dataDir: string;
  databaseUrl?: string | undefined;
  /** The address that clients reach it by; the one it listens on when unset. */
  url?: string | undefined;
  log: Log;
  clock?: Clock;
  /** Token of the first administrator, used on a fresh database only. */
  rootToken?: string | undefined;
  fsync?: boolean;
  sqliteSynchronous?: 'normal' | 'full';
  /** How long requests under way may take to end once it closes; 20 seconds. */
  drainMs?: number | undefined;
  /** False keeps no index of code. */
  codeIndex?: boolean;
  /** `smtp://…` or `smtps://…`; without it mails are kept and can be read, not sent. */
  smtpUrl?: string | undefined;
  /** Whom mails are from: `ingot@example.com` or `Ingot <ingot@example.com>`. */
  mailFrom?: string | undefined;
  /** Where what people answer goes; `noreply@` at the domain of `mailFrom` when left out. */
  mailReplyTo?: string | undefined;
  /** Tests only: every answer is held against its published schema. */
  checkAnswer?: CheckAnswer | undefined;
}

export interface Service {
  core: Core;
  api: CoreApi;
  server: ReturnType<typeof createServer>;
  metrics: Metrics;
  codeSearch: CodeSearchService;
  dueReminders: DueReminders;
  /** The first administrator's token when this start made him; null otherwise, because tokens are kept hashed. */
  rootToken: string | null;
  /** Answers from now on; returns the address. */
  listen(options: { host: string; port: number }): Promise<string>;
  /** Lets requests under way end, for a while, then closes everything in reverse order; once, however often it is asked. */
  close(): Promise<void>;
}

const DRAIN_MS = 20_000;

/** Opens the ports, wires the rooms, and hands back what can listen and close. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataDir, log, clock = systemClock, fsync = true } = options;
  const metrics = new Metrics();
  await mkdir(dataDir, { recursive: true });
  const database = await openDatabase({
    dir: dataDir,
    url: options.databaseUrl,
    migrations: allMigrations(),
    log,
    metrics,
    synchronous: options.sqliteSynchronous,
  });
  const events = new Events({ database, clock, log, metrics });
  const git = openGit({ dir: join(dataDir, 'repositories'), log, metrics, clock, fsync });
  const server = createServer({ log, metrics });
  // Asked for by every request: the system is asked only once, when it has begun to listen.
  let address = options.url ?? listeningAt(null);
  const baseUrl = () => address;
  const core = openCore({ database, git, events, clock, log, metrics, baseUrl });
  const listening = Promise.withResolvers<AddressInfo>();
  const own = new OwnRequests(core.authenticator, listening.promise);
  const warmUp = new WarmUp({ log, own });
  const codeSearch = openCodeSearch(core, {
    dataDir,
    index: options.codeIndex ?? true,
    onAwake: (corpora) => void warmUp.run(corpora),
  });
  const shared = options.databaseUrl !== undefined;
  const objects = await openDiskStore({ dir: join(dataDir, 'objects'), fsync, shared });
  const jobs = openJobs(core, { mergeRequests: mergeRequestsForPipelines(core) }, { objects, dataDir });
  const notifications = openNotifications(core, {
    ...options,
    sources: { tracker: trackerSource(core), pipelines: pipelineSource(core) },
    unsubscribe: (userId, thing) => subscribe(core, userId, thing, false),
  });
  const dueReminders = new DueReminders(core);
  const api = new Api<Caller>({
    server,
    authenticate: core.authenticator.authenticate,
    countCalls: new Throttles(core),
    baseUrl,
    checkAnswer: options.checkAnswer,
  });
  const housekeeping = new Housekeeping({ runner: git.runner, log, metrics, clock });
  keepRepositoriesFast(core, housekeeping);
  const hooksDirectory = resolve(dataDir, 'hooks');
  gitHttpRoutes(
    server,
    core,
    await SmartHttp.open({ runner: git.runner, log, metrics, hooksDirectory, fsync }),
  );
  avatarRoute(server, core);
  confirmationPage(server, core);
  installRooms(api, core, { codeSearch, warmUp, jobs });
  notifications.routes(api, server);
  openApiRoute(api);
  healthRoutes(server, { metrics, isReady: () => isReady(core) });

  const rootToken = await ensureRoot(core, options.rootToken);

  let closed: Promise<void> | null = null;
  async function closeAll(): Promise<void> {
    warmUp.end();
    await drain(server, { limitMs: options.drainMs ?? DRAIN_MS, log });
    core.refUpdates.close();
    await jobs.close();
    await dueReminders.close();
    await notifications.close();
    await events.stop();
    await codeSearch.close();
    await housekeeping.stop();
    await git.close();
    await database.close();
  }

  return {
    core,
    rootToken,
    api,
    server,
    metrics,
    codeSearch,
    dueReminders,
    async listen({ host, port }) {
      // Mails of what a killed process left are written before it listens, and hold addresses.
      const family = host.includes(':') ? 'IPv6' : 'IPv4';
      address = options.url ?? listeningAt({ address: host, family, port });
      await start(core);
      await jobs.start();
      await codeSearch.start();
      await server.listen({ host, port });
      const listensAt = server.server.address() as AddressInfo;
      address = options.url ?? listeningAt(listensAt);
      listening.resolve(listensAt);
      await notifications.start();
      dueReminders.start();
      return address;
    },
    close() {
      closed ??= closeAll();
      return closed;
    },
  };
}

/** Every room's routes and subscriptions, a line each. */
function installRooms(
  api: CoreApi,
  core: Core,
  { codeSearch, warmUp, jobs }: { codeSearch: CodeSearchService; warmUp: WarmUp; jobs: Jobs },
): void {
  adminRoutes(api, core);
  metaRoutes(api);
  settingsRoutes(api, core);
  tokenRoutes(api, core);
  userRoutes(api, core);
  placeRoutes(api, core);
  repositoryRoutes(api, core);
  jobs.routes(api);
  trackerRoutes(api, core, {
    findHeadPipeline: (head, url) => headPipeline(core, head, url),
    listPipelines: (of, page, url) => pipelinesOfCommits(core, of, page, url),
  });
  commitRoutes(api, core);
  searchAdminRoutes(api, core, () => codeSearch.status());
  searchRoutes(api, core, {
    scopes: searchScopes({
      codeSearch: codeSearch.search,
      commits: () => codeSearch.commits(),
      findPipelines: (project, shas, url) => pipelinesByCommit(core, project, shas, url),
    }),
    indexEnabled: codeSearch.search.enabled,
    onSearch: (caller) => {
      if (!isItself(caller)) warmUp.makeWay();
    },
  });
}

/** What must be done before the first request: finish what a killed process left, then let events flow. */
async function start(core: Core): Promise<void> {
  await core.refUpdates.recover();
  await removeUnclaimedRepositories(core);
  await core.events.start();
}

async function isReady(core: Core): Promise<boolean> {
  try {
    await readAnyUser(core.db);
    return true;
  } catch (error) {
    core.log.warn({ err: error }, 'not ready: the database does not answer');
    return false;
  }
}

function listeningAt(address: AddressInfo | null): string {
  if (address === null) return 'http://127.0.0.1';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host}:${address.port}`;
}
