import type { StoredDefinition } from '../../creation/stored-definition.ts';

/** Why a job may have failed: what runners may say, and what the service says itself. */
export const FAILURE_REASONS = [
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'missing_dependency_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'forward_deployment_failure',
  'user_blocked',
  'project_deleted',
  'ci_quota_exceeded',
  'pipeline_loop_detected',
  'no_matching_runner',
  'trace_size_exceeded',
  'builds_disabled',
  'environment_creation_failure',
  'deployment_rejected',
  'failed_outdated_deployment_job',
  'protected_environment_failure',
  'insufficient_bridge_permissions',
  'downstream_bridge_project_not_found',
  'invalid_bridge_trigger',
  'upstream_bridge_project_not_found',
  'insufficient_upstream_permissions',
  'bridge_pipeline_is_child_pipeline',
  'downstream_pipeline_creation_failed',
  'secrets_provider_not_found',
  'reached_max_descendant_pipelines_depth',
  'ip_restriction_failure',
  'reached_max_pipeline_hierarchy_size',
  'job_token_expired',
  'image_pull_failure',
  'runner_configuration_error',
] as const;

/** What the runner is told that the service understands. */
export const FEATURES = {
  trace_sections: true,
  token_mask_prefixes: ['glpat-', 'glcbt-', 'glrt-', 'glrtr-', 'glptt-'],
  failure_reasons: FAILURE_REASONS,
};

/** Whether the job needs what the runner says it cannot do. */
export function isUnsupported(
  definition: StoredDefinition,
  features: Record<string, unknown>,
  { ofMergeRequest }: { ofMergeRequest: boolean },
): boolean {
  const { artifacts, release, allowFailureExitCodes, cache } = definition;
  const needed: Record<string, boolean> = {
    artifacts_exclude: (artifacts?.exclude.length ?? 0) > 0,
    upload_multiple_artifacts: (artifacts?.reports.length ?? 0) > 0,
    multi_build_steps: release !== null,
    return_exit_code: allowFailureExitCodes.length > 0,
    fallback_cache_keys: cache.some(({ fallbackKeys }) => fallbackKeys.length > 0),
    refspecs: ofMergeRequest,
  };
  return Object.keys(needed).some((feature) => needed[feature] && features[feature] !== true);
}
