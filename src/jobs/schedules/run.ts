import { findProjectById } from '../../core/projects/store.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { actorOf } from '../creation/act-as.ts';
import { beginAt } from '../creation/begin.ts';
import { type CreationDeps, isRefused, type Refusal } from '../creation/request.ts';
import type { PipelineRow } from '../tables.ts';
import { nextRun } from './cron.ts';
import { claimRun, dueSchedules, nextScheduleAt, scheduleVariables, updateSchedule } from './store.ts';
import type { ScheduleRow } from './tables.ts';

/** One after the other: each takes a moment of git and of the database. */
const AT_ONCE = 20;

/** Another process was quicker, or somebody has changed the schedule. */
class Claimed extends Error {
  override name = 'Claimed';
}

/** Begins what is due. Returns in how many ms something is due next, null when nothing ever is. */
export async function runDueSchedules(deps: CreationDeps): Promise<number | null> {
  const { db, clock, log } = deps.core;
  for (const schedule of await dueSchedules(db, clock.now(), AT_ONCE)) {
    try {
      await runDue(deps, schedule);
    } catch (error) {
      // It comes again at its next time; here and now it would only fail again.
      log.error({ err: error, schedule: schedule.id }, 'a scheduled pipeline could not be created');
      await passOver(deps, schedule);
    }
  }
  const at = await nextScheduleAt(db);
  return at === null ? null : Math.max(0, at - clock.now());
}

/** The pipeline and the next time are written together, so that no crash runs one twice or leaves it out. */
async function runDue(deps: CreationDeps, schedule: ScheduleRow): Promise<void> {
  const next = await followingRun(deps, schedule);
  try {
    const result = await playSchedule(deps, schedule, async (tx) => {
      if (!(await claimRun(tx, schedule, next))) throw new Claimed();
    });
    if (!isRefused(result) || result.pipeline) return;
    deps.core.log.info(
      { schedule: schedule.id, reason: result.messages },
      'a scheduled pipeline was refused',
    );
    await passOver(deps, schedule);
  } catch (error) {
    if (!(error instanceof Claimed)) throw error;
  }
}

async function passOver(deps: CreationDeps, schedule: ScheduleRow): Promise<void> {
  const next = await followingRun(deps, schedule);
  await deps.core.database.transaction((tx) => claimRun(tx, schedule, next));
}

async function followingRun({ core }: CreationDeps, row: ScheduleRow): Promise<number | null> {
  const next = await nextRun({ cron: row.cron, timezone: row.cron_timezone }, core.clock.now());
  return 'problem' in next ? null : next.at;
}

const NO_OWNER: Refusal = {
  refused: 'forbidden',
  messages: ['The owner of the schedule is gone or blocked.'],
};

/** Begins the pipeline of a schedule for its owner; one without an owner rests until somebody takes it over. */
export async function playSchedule(
  deps: CreationDeps,
  schedule: ScheduleRow,
  within?: (tx: Tx) => Promise<void>,
): Promise<PipelineRow | Refusal> {
  const { core } = deps;
  const actor = await actorOf(core, schedule.owner_id);
  const project = await findProjectById(core.db, schedule.project_id);
  if (!actor || !project) {
    await core.database.transaction((tx) => updateSchedule(tx, schedule.id, { active: 0 }));
    return NO_OWNER;
  }
  const rows = await scheduleVariables(core.db, schedule.id);
  return beginAt(deps, {
    project,
    ref: schedule.ref,
    source: 'schedule',
    actor,
    scheduleId: schedule.id,
    variables: rows.map(({ key, value, raw, variable_type: type }) => ({ key, value, raw: raw === 1, type })),
    keepBroken: true,
    ...(within && { within }),
  });
}
