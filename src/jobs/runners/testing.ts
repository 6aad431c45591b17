import type { TestService } from '../../../test/support/service.ts';

/** What the stock runner says that it can do. */
export const STOCK_FEATURES = {
  artifacts: true,
  artifacts_exclude: true,
  cancel_gracefully: true,
  cancelable: true,
  fallback_cache_keys: true,
  masking: true,
  multi_build_steps: true,
  raw_variables: true,
  refspecs: true,
  return_exit_code: true,
  trace_checksum: true,
  trace_size: true,
  upload_multiple_artifacts: true,
};

type Api = Pick<TestService, 'api'>;

/** A runner as its own program sees it: its token, and the calls of the protocol. */
export interface TestRunner {
  id: number;
  token: string;
  request(extra?: Record<string, unknown>): ReturnType<TestService['api']>;
}

/** Made by the administrator; for a project where one is named. */
export async function makeRunner(
  service: Api,
  fields: Record<string, unknown> = { runner_type: 'instance_type' },
): Promise<TestRunner> {
  const { status, body } = await service.api('POST', '/user/runners', { body: fields });
  if (status !== 201) throw new Error(`no runner: ${JSON.stringify(body)}`);
  const { id, token } = body as { id: number; token: string };
  return {
    id,
    token,
    request: (extra = {}) =>
      service.api('POST', '/jobs/request', {
        token: null,
        body: { token, system_id: 's_test', info: { features: STOCK_FEATURES }, ...extra },
      }),
  };
}
