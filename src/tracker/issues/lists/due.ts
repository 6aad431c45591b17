import { type Expression, type SqlBool, sql } from 'kysely';

export const DUE_FILTERS = [
  '0',
  'any',
  'today',
  'tomorrow',
  'overdue',
  'week',
  'month',
  'next_month_and_previous_two_weeks',
] as const;

/** `0` is none at all. */
export type DueFilter = (typeof DUE_FILTERS)[number];

/** Issues whose due date is so, seen from this day (`YYYY-MM-DD`). Weeks begin on Monday. */
export function dueCondition(due: DueFilter, today: string): Expression<SqlBool> {
  if (due === '0') return sql<SqlBool>`issues.due_date is null`;
  if (due === 'any') return sql<SqlBool>`issues.due_date is not null`;
  const [first, last] = spanOf(due, today);
  return sql<SqlBool>`(issues.due_date >= ${first} and issues.due_date <= ${last})`;
}

/** First and last day. */
function spanOf(due: Exclude<DueFilter, '0' | 'any'>, today: string): [string, string] {
  const date = new Date(`${today}T00:00:00Z`);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  const firstOf = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  switch (due) {
    case 'today':
      return [today, today];
    case 'tomorrow':
      return [shifted(date, 1), shifted(date, 1)];
    case 'overdue':
      return ['', shifted(date, -1)];
    case 'week':
      return [shifted(date, -sinceMonday), shifted(date, 6 - sinceMonday)];
    case 'month':
      return [shifted(firstOf(0), 0), shifted(firstOf(1), -1)];
    case 'next_month_and_previous_two_weeks':
      return [shifted(date, -14), shifted(firstOf(2), -1)];
  }
}

const DAY_MS = 86_400_000;

const shifted = (from: Date | number, days: number): string =>
  new Date(Number(from) + days * DAY_MS).toISOString().slice(0, 10);
