import { traversalIds } from '../../core/access/store.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { ONLINE_MS } from './entities.ts';
import { type RunnerReach, runnersHeardSince } from './online-store.ts';
import { runnersOfProject } from './queue/queue-store.ts';
import { takesTags } from './queue/tags.ts';

/** What decides which runners take a job, beside its project. */
export interface JobDemands {
  tags: string;
  protected: number;
}

/** The runners that are online at a moment. */
export class OnlineRunners {
  readonly #ofInstance = new Map<string, RunnerReach>();
  readonly #ofGroup = new Map<number, RunnerReach[]>();
  readonly #ofProjects = new Map<number, RunnerReach>();

  static async read(db: Queryable, now: number): Promise<OnlineRunners> {
    return new OnlineRunners(await runnersHeardSince(db, now - ONLINE_MS));
  }

  private constructor(runners: readonly RunnerReach[]) {
    for (const runner of runners) this.#add(runner);
  }

  #add(runner: RunnerReach): void {
    if (runner.runner_type === 'project_type') this.#ofProjects.set(runner.id, runner);
    else if (runner.runner_type === 'instance_type') {
      // hundreds that take the same are asked once
      this.#ofInstance.set(`${runner.tags} ${runner.run_untagged} ${runner.access_level}`, runner);
    } else if (runner.namespace_id !== null) {
      const others = this.#ofGroup.get(runner.namespace_id) ?? [];
      this.#ofGroup.set(runner.namespace_id, [...others, runner]);
    }
  }

  /** Those that work for a project. */
  async of(db: Queryable, project: ProjectWithNamespace): Promise<RunnerReach[]> {
    const settings = projectSettings(project);
    const own = this.#ofProjects.size > 0 ? await runnersOfProject(db, project.id) : [];
    const groups = settings.group_runners_enabled ? traversalIds(project.traversal) : [];
    return [
      ...(settings.shared_runners_enabled ? this.#ofInstance.values() : []),
      ...groups.flatMap((id) => this.#ofGroup.get(id) ?? []),
      ...[...own].flatMap((id) => this.#ofProjects.get(id) ?? []),
    ];
  }
}

/** Whether a runner that works for the project of a job takes it. */
export const takes = (runner: RunnerReach, job: JobDemands): boolean =>
  (runner.access_level === 'not_protected' || job.protected === 1) && takesTags(runner, job.tags);
