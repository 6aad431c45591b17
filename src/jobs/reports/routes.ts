import type { Core, CoreApi } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { param, params } from '../../platform/http/params.ts';
import { findPipeline } from '../pipelines/store.ts';
import type { JunitReports } from './junit/read-report.ts';
import { junitReportsOf } from './junit/report-store.ts';
import {
  presentTestReport,
  presentTestSummary,
  type Suite,
  suitesOf,
  TestReport,
  TestReportSummary,
} from './test-report.ts';

const one = params({ id: param.string(), pipeline_id: param.integer() });

/** What the tests of a pipeline said, out of the JUnit reports of its jobs. */
export function reportRoutes(api: CoreApi, core: Core, reports: JunitReports): void {
  const routes = api.room('pipelines');
  const { db } = core;

  async function suites(projectId: number, pipelineId: number): Promise<Suite[]> {
    const pipeline = await findPipeline(db, projectId, pipelineId);
    if (!pipeline) throw fail.recordNotFound();
    const rows = await junitReportsOf(db, pipeline.id);
    const read = rows.map(async (row) => ({
      jobId: row.job_id,
      name: row.name,
      report: await reports.read(row),
    }));
    return suitesOf(await Promise.all(read));
  }

  routes.get('/projects/:id/pipelines/:pipeline_id/test_report', {
    summary: 'Every test of a pipeline',
    params: one,
    responses: { 200: TestReport },
    guard: core.guards.project('read_build'),
    handler: async ({ guarded: { project }, params: { pipeline_id } }) =>
      presentTestReport(await suites(project.id, pipeline_id)),
  });

  routes.get('/projects/:id/pipelines/:pipeline_id/test_report_summary', {
    summary: 'How many tests of a pipeline succeeded and failed',
    params: one,
    responses: { 200: TestReportSummary },
    guard: core.guards.project('read_build'),
    handler: async ({ guarded: { project }, params: { pipeline_id } }) =>
      presentTestSummary(await suites(project.id, pipeline_id)),
  });
}
