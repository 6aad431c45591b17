import type { Generated, Selectable } from 'kysely';

export type VariableType = 'env_var' | 'file';

/** What people set for the jobs of a project, of a group, or (both ids null) of the whole service. */
export interface CiVariablesTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  key: string;
  value: string;
  variable_type: Generated<VariableType>;
  /** 1: only for jobs of protected branches and tags. */
  protected: Generated<number>;
  /** 1: logs do not show the value. */
  masked: Generated<number>;
  /** 1: nobody can read the value again. */
  hidden: Generated<number>;
  /** 1: `$OTHER` in the value stays as it is. */
  raw: Generated<number>;
  /** An environment, or a pattern with `*`. */
  environment_scope: Generated<string>;
  description: string | null;
  created_at: number;
  updated_at: number;
}

export type CiVariableRow = Selectable<CiVariablesTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    ci_variables: CiVariablesTable;
  }
}
