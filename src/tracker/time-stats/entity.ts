import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { formatDuration } from './duration.ts';

export const TimeStats = Type.Object(
  {
    time_estimate: Type.Integer(),
    total_time_spent: Type.Integer(),
    human_time_estimate: nullable(Type.String()),
    human_total_time_spent: nullable(Type.String()),
  },
  { $id: 'TimeStats' },
);

/** `spent` is what `timeSpent` found for the row; seconds. */
export const timeStats = (row: { time_estimate: number }, spent = 0): Static<typeof TimeStats> => ({
  time_estimate: row.time_estimate,
  total_time_spent: spent,
  human_time_estimate: formatDuration(row.time_estimate),
  human_total_time_spent: formatDuration(spent),
});
