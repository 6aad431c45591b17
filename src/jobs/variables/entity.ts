import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { CiVariableRow } from './tables.ts';

const common = {
  variable_type: Type.String(),
  key: Type.String(),
  /** null: hidden. */
  value: nullable(Type.String()),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean(),
  description: nullable(Type.String()),
};

export const CiVariable = Type.Object(
  { ...common, hidden: Type.Boolean(), environment_scope: Type.String() },
  { $id: 'CiVariable' },
);

/** Of the whole service: for every environment, and never hidden. */
export const InstanceVariable = Type.Object(common, { $id: 'InstanceVariable' });

export const presentInstanceVariable = (row: CiVariableRow): Static<typeof InstanceVariable> => ({
  variable_type: row.variable_type,
  key: row.key,
  value: row.hidden ? null : row.value,
  protected: row.protected === 1,
  masked: row.masked === 1,
  raw: row.raw === 1,
  description: row.description,
});

export const presentVariable = (row: CiVariableRow): Static<typeof CiVariable> => ({
  ...presentInstanceVariable(row),
  hidden: row.hidden === 1,
  environment_scope: row.environment_scope,
});
