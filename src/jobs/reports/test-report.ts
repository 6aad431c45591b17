import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { TestCase } from './junit/parse.ts';
import type { ReadReport } from './junit/thread.ts';

const TestCaseEntity = Type.Object(
  {
    status: Type.String(),
    name: Type.String(),
    classname: Type.String(),
    file: nullable(Type.String()),
    execution_time: Type.Number(),
    system_output: nullable(Type.String()),
    stack_trace: nullable(Type.String()),
    recent_failures: Type.Null(),
  },
  { $id: 'TestCase' },
);

const counts = {
  total_time: Type.Number(),
  total_count: Type.Integer(),
  success_count: Type.Integer(),
  failed_count: Type.Integer(),
  skipped_count: Type.Integer(),
  error_count: Type.Integer(),
};

export const TestReport = Type.Object(
  {
    ...counts,
    test_suites: Type.Array(
      Type.Object({
        name: Type.String(),
        ...counts,
        suite_error: nullable(Type.String()),
        test_cases: Type.Array(TestCaseEntity),
      }),
    ),
  },
  { $id: 'TestReport' },
);

export const TestReportSummary = Type.Object(
  {
    total: Type.Object({
      time: Type.Number(),
      count: Type.Integer(),
      success: Type.Integer(),
      failed: Type.Integer(),
      skipped: Type.Integer(),
      error: Type.Integer(),
      suite_error: nullable(Type.String()),
    }),
    test_suites: Type.Array(
      Type.Object({
        name: Type.String(),
        ...counts,
        build_ids: Type.Array(Type.Integer()),
        suite_error: nullable(Type.String()),
      }),
    ),
  },
  { $id: 'TestReportSummary' },
);

/** The tests of one job, or of the parallel copies of one. */
export interface Suite {
  name: string;
  jobIds: number[];
  cases: TestCase[];
  error: string | null;
}

/** `test 2/5` and `test: [linux, 20]` are copies of `test`, and make one suite. */
const groupName = (name: string): string => name.replace(/(?:\s+\d+\/\d+|:\s*\[.*\])\s*$/, '');

export function suitesOf(reports: readonly { jobId: number; name: string; report: ReadReport }[]): Suite[] {
  const suites = new Map<string, Suite>();
  for (const { jobId, name: job, report } of reports) {
    const name = groupName(job);
    const suite = suites.get(name) ?? { name, jobIds: [], cases: [], error: null };
    suites.set(name, suite);
    suite.jobIds.push(jobId);
    if ('error' in report) suite.error ??= report.error;
    else for (const each of report.cases) suite.cases.push(each);
  }
  return [...suites.values()];
}

function countsOf(cases: readonly TestCase[]) {
  const of = (status: TestCase['status']) => cases.filter((each) => each.status === status).length;
  const seconds = cases.reduce((sum, { time }) => sum + time, 0);
  return {
    total_time: Math.round(seconds * 1e6) / 1e6,
    total_count: cases.length,
    success_count: of('success'),
    failed_count: of('failed'),
    skipped_count: of('skipped'),
    error_count: of('error'),
  };
}

export function presentTestReport(suites: readonly Suite[]): Static<typeof TestReport> {
  return {
    ...countsOf(suites.flatMap(({ cases }) => cases)),
    test_suites: suites.map(({ name, cases, error }) => ({
      name,
      ...countsOf(cases),
      suite_error: error,
      test_cases: cases.map(presentCase),
    })),
  };
}

const presentCase = ({ time, output, ...shown }: TestCase): Static<typeof TestCaseEntity> => ({
  status: shown.status,
  name: shown.name,
  classname: shown.classname,
  file: shown.file,
  execution_time: time,
  system_output: output,
  stack_trace: null,
  recent_failures: null,
});

export function presentTestSummary(suites: readonly Suite[]): Static<typeof TestReportSummary> {
  const all = countsOf(suites.flatMap(({ cases }) => cases));
  return {
    total: {
      time: all.total_time,
      count: all.total_count,
      success: all.success_count,
      failed: all.failed_count,
      skipped: all.skipped_count,
      error: all.error_count,
      suite_error: suites.find(({ error }) => error !== null)?.error ?? null,
    },
    test_suites: suites.map(({ name, jobIds, cases, error }) => ({
      name,
      ...countsOf(cases),
      build_ids: jobIds,
      suite_error: error,
    })),
  };
}
