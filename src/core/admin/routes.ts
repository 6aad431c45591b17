import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { param, params, timestamp } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import { isoTime } from '../entities.ts';

const FailingEvent = Type.Object(
  {
    id: Type.Integer(),
    event_id: Type.Integer(),
    type: Type.String(),
    stream: Type.String(),
    subscriber: Type.String(),
    attempts: Type.Integer(),
    last_error: Type.String(),
    next_attempt_at: timestamp(),
  },
  { $id: 'FailingEvent' },
);

/** What an administrator needs to see of the machine room; GitLab has no route for it. */
export function adminRoutes(api: CoreApi, core: Core): void {
  const room = api.room('admin');

  room.get('/admin/events', {
    summary: 'Events that keep failing, oldest first, at most 1000',
    params: params({}),
    responses: { 200: Type.Array(FailingEvent) },
    guard: core.guards.admin,
    handler: async () => {
      const failing = await core.events.failing();
      return failing.map((entry) => ({
        id: entry.id,
        event_id: entry.eventId,
        type: entry.type,
        stream: entry.stream,
        subscriber: entry.subscriber,
        attempts: entry.attempts,
        last_error: entry.lastError,
        next_attempt_at: isoTime(entry.nextAttemptAt),
      }));
    },
  });

  room.post('/admin/events/:event_id/retry', {
    summary: 'Try a failing event again now; takes the `id` of the list',
    params: params({ event_id: param.integer() }),
    responses: { 202: Type.Object({ message: Type.String() }) },
    guard: core.guards.admin,
    handler: async ({ params }) => {
      if (!(await core.events.retry(params.event_id))) throw fail.notFound('Event');
      return new Answer(202, { message: '202 Accepted' });
    },
  });
}
