import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { Breath } from '../config/breath.ts';
import { OnlineRunners, takes } from '../runners/online.ts';
import type { RunnerReach } from '../runners/online-store.ts';
import { nextWaitingGroup, type WaitingGroup, waitingJobIds } from './watch-store.ts';

/** A turn costs no more than this, however many projects wait; the next goes on where it ended. */
const GROUPS_A_TURN = 2_000;

interface Place {
  project: ProjectWithNamespace;
  runners: RunnerReach[];
}

/**
 * Finds jobs that no runner would take that is online. Jobs of one project with the same tags are judged together, so that it costs
 * the same whether ten of them wait or a hundred thousand.
 */
export class UnfitJobs {
  readonly #core: Pick<Core, 'db' | 'clock'>;
  #after: WaitingGroup | null = null;

  constructor(core: Pick<Core, 'db' | 'clock'>) {
    this.#core = core;
  }

  /** Some of the groups that no runner takes and of which a job has waited since before `before`. */
  async *groups(before: number): AsyncGenerator<WaitingGroup> {
    const { db, clock } = this.#core;
    const online = await OnlineRunners.read(db, clock.now());
    const breath = new Breath();
    let place: Place | null = null;
    for (let looked = 0; looked < GROUPS_A_TURN; looked++) {
      await breath.take();
      const group = await nextWaitingGroup(db, this.#after);
      this.#after = group ?? null;
      if (!group) return;
      if (group.queued_at === null || group.queued_at >= before) continue;
      if (place?.project.id !== group.project_id) place = await this.#placeOf(online, group);
      if (place !== null && !place.runners.some((runner) => takes(runner, group))) yield group;
    }
  }

  /** Jobs of a group that have waited since before `before`; none once a runner takes them. */
  async ids(group: WaitingGroup, wanted: { before: number; limit: number }): Promise<number[]> {
    const { db, clock } = this.#core;
    const place = await this.#placeOf(await OnlineRunners.read(db, clock.now()), group);
    if (place?.runners.some((runner) => takes(runner, group))) return [];
    return waitingJobIds(db, group, wanted);
  }

  async #placeOf(online: OnlineRunners, { project_id: id }: WaitingGroup): Promise<Place | null> {
    const project = await findProjectById(this.#core.db, id);
    return project ? { project, runners: await online.of(this.#core.db, project) } : null;
  }
}
