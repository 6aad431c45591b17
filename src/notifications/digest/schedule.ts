import type { Delivery, NoticeBase } from '../notice.ts';

/** Changes to one thing within this time of the first one become one mail. */
const BATCH_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Of the server's own clock: read with the first coffee. */
const DAILY_AT_HOUR = 8;

/** When what is told is due, and what goes into the same mail with it; null for what goes out at once. */
export interface Appointment {
  dueAt: number;
  gatheredBy: string;
}

export function appointmentOf(notice: NoticeBase, delivery: Delivery, now: number): Appointment | null {
  switch (delivery) {
    case 'immediate':
      return null;
    case 'batched':
      return { dueAt: now + BATCH_MS, gatheredBy: `thing:${thingKey(notice)}` };
    case 'hourly':
      return { dueAt: (Math.floor(now / HOUR_MS) + 1) * HOUR_MS, gatheredBy: 'hourly' };
    case 'daily':
      return { dueAt: nextMorning(now), gatheredBy: 'daily' };
  }
}

/** Commits have no number; the same one may be in several projects. */
export function thingKey({ thing, project }: Pick<NoticeBase, 'thing' | 'project'>): string {
  return `${thing.type}:${thing.id ?? `${project?.id ?? 0}:${thing.sha ?? ''}`}`;
}

function nextMorning(now: number): number {
  const at = new Date(now);
  at.setHours(DAILY_AT_HOUR, 0, 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}
