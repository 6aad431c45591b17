import type { Git } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Events } from '../platform/events/events.ts';
import type { Api } from '../platform/http/api.ts';
import { RateLimiter } from '../platform/http/rate-limit.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { Access } from './access/access.ts';
import type { Caller } from './caller.ts';
import { Guards } from './guards.ts';
import { ProjectFigures } from './projects/figures.ts';
import { Collaboration } from './repository/collaboration.ts';
import { RefUpdates } from './repository/ref-updates.ts';
import { Settings } from './settings/settings.ts';
import type { Project } from './tables.ts';
import { Authenticator } from './tokens/authenticate.ts';

/** The `Api` of the HTTP layer, with our kind of caller. Rooms take it to add their routes. */
export type CoreApi = Api<Caller>;

/** Where a room declares its routes. */
export type Room = ReturnType<CoreApi['room']>;

export interface CoreDeps {
  database: Database;
  git: Git;
  events: Events;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** The address that clients reach us by, no slash at the end. */
  baseUrl: () => string;
}

/** What the rooms above share: who calls, what he may do, where things are, and the one way to move a ref. */
export interface Core extends CoreDeps {
  db: Db;
  access: Access;
  guards: Guards;
  authenticator: Authenticator;
  refUpdates: RefUpdates;
  /** What administrators set while the service runs. */
  settings: Settings;
  rateLimiter: RateLimiter;
  /** Where the room of merge requests tells which branches they open to others. */
  collaboration: Collaboration;
  /** Where rooms above tell what they count in projects. */
  projectFigures: ProjectFigures;
  /** The bare repository of a project. */
  repositoryOf: (project: Pick<Project, 'storage_path'>) => Repository;
}

export function openCore(deps: CoreDeps): Core {
  const { database, git, clock } = deps;
  const { db } = database;
  const access = new Access({ db, clock });
  const settings = new Settings(deps);
  return {
    ...deps,
    db,
    access,
    guards: new Guards({ database, access }),
    authenticator: new Authenticator(deps),
    refUpdates: new RefUpdates({ ...deps, settings }),
    settings,
    rateLimiter: new RateLimiter(clock),
    collaboration: new Collaboration(),
    projectFigures: new ProjectFigures(),
    repositoryOf: (project) => git.repository(project.storage_path),
  };
}
