import { isoTime, isoTimeOrNull, presentUserBasic, UserBasic } from '../../core/entities.ts';
import type { Project, User } from '../../core/tables.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { PipelineBasic, presentPipelineBasic } from '../entities.ts';
import type { PipelineRow } from '../tables.ts';
import type { ScheduleRow, ScheduleVariableRow } from './tables.ts';

const fields = {
  id: Type.Integer(),
  description: Type.String(),
  ref: Type.String(),
  cron: Type.String(),
  cron_timezone: Type.String(),
  next_run_at: nullable(timestamp()),
  active: Type.Boolean(),
  created_at: timestamp(),
  updated_at: timestamp(),
  owner: nullable(UserBasic),
};

export const Schedule = Type.Object(fields, { $id: 'PipelineSchedule' });

export const ScheduleVariable = Type.Object(
  { variable_type: Type.String(), key: Type.String(), value: Type.String(), raw: Type.Boolean() },
  { $id: 'PipelineScheduleVariable' },
);

export const ScheduleDetail = Type.Object(
  {
    ...fields,
    last_pipeline: nullable(PipelineBasic),
    /** Only for those who may change it. */
    variables: Type.Optional(Type.Array(ScheduleVariable)),
  },
  { $id: 'PipelineScheduleDetail' },
);

export const presentSchedule = (
  row: ScheduleRow,
  { owner, baseUrl }: { owner: User | undefined; baseUrl: string },
): Static<typeof Schedule> => ({
  id: row.id,
  description: row.description,
  ref: row.ref,
  cron: row.cron,
  cron_timezone: row.cron_timezone,
  next_run_at: isoTimeOrNull(row.next_run_at),
  active: row.active === 1,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
  owner: owner ? presentUserBasic(owner, baseUrl) : null,
});

export interface DetailParts {
  owner: User | undefined;
  project: Pick<Project, 'full_path'>;
  baseUrl: string;
  last: PipelineRow | undefined;
  /** null: not for the caller. */
  variables: readonly ScheduleVariableRow[] | null;
}

export const presentScheduleDetail = (
  row: ScheduleRow,
  { last, variables, ...place }: DetailParts,
): Static<typeof ScheduleDetail> => ({
  ...presentSchedule(row, place),
  last_pipeline: last ? presentPipelineBasic(last, place) : null,
  ...(variables && { variables: variables.map(presentScheduleVariable) }),
});

export const presentScheduleVariable = (row: ScheduleVariableRow): Static<typeof ScheduleVariable> => ({
  variable_type: row.variable_type,
  key: row.key,
  value: row.value,
  raw: row.raw === 1,
});
