import type { ConfigVariable } from '../config/plan.ts';

/** A variable as a job gets it. */
export interface JobVariable {
  key: string;
  value: string;
  /** False: of no use in a trace that everybody may read. */
  public: boolean;
  /** The runner and the trace show `[MASKED]` for the value. */
  masked: boolean;
  /** The job finds a file's path in the variable, and the value in the file. */
  file: boolean;
  /** `$OTHER` in the value stays as it is. */
  raw: boolean;
}

const PLAIN = { public: true, masked: false, file: false, raw: false };

/** Variables that anybody may read: entries whose value is null or undefined are left out. */
export const openVariables = (values: Record<string, string | number | null | undefined>): JobVariable[] =>
  Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: String(value), ...PLAIN }],
  );

/** Kept from readers. `masked` ones also never appear in a trace. */
export const secretVariable = (key: string, value: string, masked = true): JobVariable => ({
  key,
  value,
  ...PLAIN,
  public: false,
  masked,
});

/** Of a configuration, of a pipeline, or of whoever played the job. */
export const configuredVariable = ({ key, value, raw, type, masked }: ConfigVariable): JobVariable => ({
  key,
  value,
  public: true,
  masked: masked ?? false,
  file: type === 'file',
  raw,
});
