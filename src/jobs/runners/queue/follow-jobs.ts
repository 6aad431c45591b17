import type { Core } from '../../../core/core.ts';
import type { EventTypes } from '../../../platform/events/event.ts';
import { LogFollower } from '../../../platform/events/log-follower.ts';
import type { Waiting } from './waiting.ts';
import '../../events.ts';
import '../events.ts';

const TYPES = ['job.updated', 'runner.updated'] as const;
type FollowedType = (typeof TYPES)[number];
type Followed = { [T in FollowedType]: { type: T; payload: EventTypes[T] } }[FollowedType];

type Deps = Pick<Core, 'database' | 'events' | 'log'>;

/** Tells the runners that wait here of what happens: at once of what this process does, within a second of what others do. */
export class JobFollower {
  readonly #deps: Deps;
  readonly #waiting: Waiting;
  readonly #others: LogFollower<FollowedType>;

  constructor(deps: Deps, waiting: Waiting) {
    const { events, log } = deps;
    const tell = (event: Followed) => this.#tell(event);
    this.#deps = deps;
    this.#waiting = waiting;
    this.#others = new LogFollower<FollowedType>({
      events,
      log,
      types: TYPES,
      name: 'waiting runners',
      tell,
    });
    events.witness(TYPES, (event) => tell(event as Followed));
  }

  /** Only a database that has no version of its own is shared with others. */
  async start(): Promise<void> {
    const { database, events } = this.#deps;
    if (database.version() === null) this.#others.start(await events.position());
  }

  close = (): Promise<void> => this.#others.stop();

  #tell({ type, payload }: Followed): void {
    if (type === 'runner.updated') this.#waiting.look(payload.runnerId);
    else if (payload.status === 'pending') this.#waiting.offer(payload.jobId);
  }
}
