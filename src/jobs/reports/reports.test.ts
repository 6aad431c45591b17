import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { takeJob } from '../artifacts/testing/running-job.ts';
import { upload } from '../artifacts/testing/upload.ts';
import { seedPipeline } from '../processing/testing.ts';
import { BadReport, parseJunit } from './junit/parse.ts';

const ONE = `<?xml version="1.0"?>
<testsuites><testsuite name="a" tests="3">
  <testcase name="adds" classname="Math" file="math.rb" time="0.5"/>
  <testcase name="divides" classname="Math" time="1,000.25"><failure message="short">expected 1 &lt; 2</failure></testcase>
  <testsuite><testcase name="inner"><skipped/></testcase></testsuite>
</testsuite></testsuites>`;
const TWO = '<testsuite><testcase name="breaks"><error message="out of memory"/></testcase></testsuite>';

describe('a JUnit report', () => {
  it('is read with its suites in suites, and several files behind each other', () => {
    assert.deepEqual(
      parseJunit(`${ONE}<?xml version="1.0"?>${TWO}`).map(({ status, name, time, output }) => [
        status,
        name,
        time,
        output,
      ]),
      [
        ['success', 'adds', 0.5, null],
        ['failed', 'divides', 1000.25, 'expected 1 < 2'],
        ['skipped', 'inner', 0, ''],
        ['error', 'breaks', 0, 'out of memory'],
      ],
    );
    assert.equal(parseJunit(TWO + TWO).length, 2);
    assert.deepEqual(parseJunit(''), []);
    assert.deepEqual(parseJunit('<html><body/></html>'), []);
  });

  it('that is no XML is refused', () => {
    for (const text of ['<testsuite>', 'nonsense', '<a></b>']) {
      assert.throws(() => parseJunit(text), BadReport, text);
    }
  });
});

for (const kind of dialects) {
  describe(`test reports, on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'tested');
    });
    after(() => service.close());

    it('count what the jobs of a pipeline have reported', async () => {
      const jobs = { 'test 1/2': {}, 'test 2/2': {}, lint: {}, broken: {}, bomb: {} };
      const pipeline = await seedPipeline(service.core, project, jobs);
      const reports: Record<string, Buffer> = {
        'test 1/2': gzipSync(ONE),
        'test 2/2': Buffer.concat([gzipSync(TWO), gzipSync(TWO)]),
        broken: Buffer.from('no gzip'),
        bomb: gzipSync(Buffer.alloc(60 * 1024 * 1024)),
      };
      for (const [name, content] of Object.entries(reports)) {
        const reply = await upload(service, await takeJob(service.core, pipeline, name), content, {
          query: { artifact_type: 'junit', artifact_format: 'gzip' },
          form: { filename: 'junit.xml.gz' },
        });
        assert.equal(reply.status, 201, reply.text);
      }
      const path = `/projects/${project.id}/pipelines/${pipeline.id}`;
      const { status, body } = await service.api('GET', `${path}/test_report`);
      assert.equal(status, 200);
      const { test_suites: suites, ...total } = body;
      assert.deepEqual(total, {
        total_time: 1000.75,
        total_count: 5,
        success_count: 1,
        failed_count: 1,
        skipped_count: 1,
        error_count: 2,
      });
      assert.deepEqual(
        suites.map(({ name, suite_error }: Record<string, unknown>) => [name, suite_error]),
        [
          ['test', null],
          ['broken', 'JUnit XML parsing failed: the report is damaged'],
          ['bomb', 'JUnit XML parsing failed: the report is too large'],
        ],
      );
      assert.equal(suites[0].test_cases[1].system_output, 'expected 1 < 2');
      const summary = (await service.api('GET', `${path}/test_report_summary`)).body;
      assert.equal(summary.total.count, 5);
      assert.equal(summary.test_suites[0].build_ids.length, 2);
      assert.equal(
        (await service.api('GET', `/projects/${project.id}/pipelines/999999/test_report`)).status,
        404,
      );
    });

    it('of a pipeline without any are empty', async () => {
      const { id } = await seedPipeline(service.core, project, { a: {} });
      const { body } = await service.api('GET', `/projects/${project.id}/pipelines/${id}/test_report`);
      assert.deepEqual(body.test_suites, []);
      assert.equal(body.total_count, 0);
    });
  });
}
