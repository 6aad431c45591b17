/** The words for the state of a job or a pipeline, in GitLab's order; filters take exactly these. */
export const JOB_STATUSES = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

const COMPLETE: ReadonlySet<JobStatus> = new Set(['success', 'failed', 'canceled', 'skipped']);

/** Whether nothing more will happen by itself. */
export const isComplete = (status: JobStatus): boolean => COMPLETE.has(status);

/** Where a pipeline came from. */
export const PIPELINE_SOURCES = [
  'unknown',
  'push',
  'web',
  'trigger',
  'schedule',
  'api',
  'external',
  'pipeline',
  'chat',
  'webide',
  'merge_request_event',
  'external_pull_request_event',
  'parent_pipeline',
  'ondemand_dast_scan',
  'ondemand_dast_validation',
  'security_orchestration_policy',
  'container_registry_push',
] as const;

export type PipelineSource = (typeof PIPELINE_SOURCES)[number];
