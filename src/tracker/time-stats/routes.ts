import type { ProjectAbility } from '../../core/access/abilities.ts';
import type { Core, CoreApi, Room } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { issues, mergeRequests, type TargetCall, type TargetKind } from '../notes/targets.ts';
import { parseDuration } from './duration.ts';
import { TimeStats, timeStats } from './entity.ts';
import { readEstimate, timeSpent } from './store.ts';
import { addSpent, resetSpent, setEstimate, type Timed } from './tracking.ts';

interface TimedKind {
  kind: TargetKind;
  /** Who may change it may also say how long it took. */
  writes: ProjectAbility;
}

const KINDS: TimedKind[] = [
  { kind: issues, writes: 'update_issue' },
  { kind: mergeRequests, writes: 'update_merge_request' },
];

/** How long something is thought to take, and how long it took. */
export function timeRoutes(api: CoreApi, core: Core): void {
  const room = api.room('time_tracking');
  for (const timed of KINDS) {
    readRoute(room, core, timed);
    estimateRoutes(room, core, timed);
    spentRoutes(room, core, timed);
  }
}

const MAX_SUMMARY = 255;
const duration = param.string({ description: 'Such as `1w 2d 3h 30m`; a day is 8 hours, a week 5 days.' });

function readRoute(room: Room, core: Core, { kind }: TimedKind): void {
  room.get(`${kind.path}/time_stats`, {
    summary: `Read the time estimated for ${kind.noun} and spent on it`,
    params: params({ ...kind.params }),
    responses: { 200: TimeStats },
    guard: core.guards.project(kind.reads),
    handler: async (call) => statsOf(core, await findTimed(core, kind, call)),
  });
}

function estimateRoutes(room: Room, core: Core, { kind, writes }: TimedKind): void {
  const guard = core.guards.project(kind.reads, writes);

  room.post(`${kind.path}/time_estimate`, {
    summary: `Say how long ${kind.noun} will take`,
    params: params({ ...kind.params, duration }),
    responses: { 200: TimeStats },
    guard,
    async handler(call) {
      const on = await findTimed(core, kind, call);
      const seconds = parseDuration(call.params.duration);
      if (seconds === null || seconds < 0) {
        throw fail.invalid({
          time_estimate: ['must have a valid format and be greater than or equal to zero.'],
        });
      }
      await setEstimate(core, { on, userId: call.caller.user.id }, seconds);
      return new Answer(200, await statsOf(core, on));
    },
  });

  room.post(`${kind.path}/reset_time_estimate`, {
    summary: `Take the estimate for ${kind.noun} away`,
    params: params({ ...kind.params }),
    responses: { 200: TimeStats },
    guard,
    async handler(call) {
      const on = await findTimed(core, kind, call);
      await setEstimate(core, { on, userId: call.caller.user.id }, 0);
      return new Answer(200, await statsOf(core, on));
    },
  });
}

function spentRoutes(room: Room, core: Core, { kind, writes }: TimedKind): void {
  const guard = core.guards.project(kind.reads, writes);

  room.post(`${kind.path}/add_spent_time`, {
    summary: `Book time spent on ${kind.noun}; with a minus, take some back`,
    params: params({
      ...kind.params,
      duration,
      summary: optional(param.string({ description: 'What it was spent on.' })),
    }),
    responses: { 201: TimeStats },
    guard,
    async handler(call) {
      const { caller, params: asked } = call;
      const on = await findTimed(core, kind, call);
      const seconds = parseDuration(asked.duration);
      if (!seconds) throw fail.params('duration is invalid');
      const summary = asked.summary || null;
      if ((summary?.length ?? 0) > MAX_SUMMARY) {
        throw fail.invalid({ summary: [`is too long (maximum is ${MAX_SUMMARY} characters)`] });
      }
      await addSpent(core, { on, userId: caller.user.id }, { seconds, summary });
      return statsOf(core, on);
    },
  });

  room.post(`${kind.path}/reset_spent_time`, {
    summary: `Take back all time spent on ${kind.noun}`,
    params: params({ ...kind.params }),
    responses: { 200: TimeStats },
    guard,
    async handler(call) {
      const on = await findTimed(core, kind, call);
      await resetSpent(core, { on, userId: call.caller.user.id });
      return new Answer(200, await statsOf(core, on));
    },
  });
}

async function findTimed(core: Core, kind: TargetKind, call: TargetCall): Promise<Timed> {
  const { noteable } = await kind.find(core, call);
  const { type } = noteable;
  if (type === 'Snippet') throw fail.recordNotFound();
  return { ...noteable, type };
}

async function statsOf(core: Core, { type, id }: Timed) {
  const estimate = await readEstimate(core.db, type, id);
  if (estimate === null) throw fail.recordNotFound();
  return timeStats({ time_estimate: estimate }, (await timeSpent(core.db, type, [id])).get(id));
}
