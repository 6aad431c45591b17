import type { Generated, Selectable } from 'kysely';
import type { FileFormat, FileType } from './file-types.ts';

export type ArtifactAccess = 'all' | 'developer' | 'maintainer' | 'none';

/** `coming`: its bytes are under way; `doomed`: nobody sees it any more, its bytes are to be freed. */
export type ArtifactState = 'coming' | 'stored' | 'doomed';

/** What a job has uploaded, or its sealed log. Stays until its bytes are freed, whatever becomes of the job. */
export interface JobArtifactsTable {
  id: Generated<number>;
  project_id: number;
  pipeline_id: number;
  job_id: number;
  file_type: FileType;
  file_format: FileFormat;
  filename: string;
  size: number;
  /** Hex. */
  sha256: string;
  access: Generated<ArtifactAccess>;
  created_at: number;
  expire_at: number | null;
  state: Generated<ArtifactState>;
}

/** What is known of a job's log since its first byte. */
export interface JobTracesTable {
  job_id: number;
  project_id: number;
  pipeline_id: number;
  /** 1: the runner said that it prints every command with its variables. */
  debug: Generated<number>;
  /** 1: a secret was covered that the runner had let through. */
  masked: Generated<number>;
  /** How often the whole log was asked for once more. */
  resends: Generated<number>;
  created_at: number;
  /** When it was put into the object store; 0 where nobody wants it any more. */
  sealed_at: number | null;
  /** 0: the live file is gone. */
  live: Generated<number>;
}

export interface JobDotenvVariablesTable {
  job_id: number;
  idx: number;
  key: string;
  value: string;
}

export type ArtifactRow = Selectable<JobArtifactsTable>;
export type TraceRow = Selectable<JobTracesTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    job_artifacts: JobArtifactsTable;
    job_traces: JobTracesTable;
    job_dotenv_variables: JobDotenvVariablesTable;
  }
}
