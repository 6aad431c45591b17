import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { type Person, seedMember, seedProject, seedUser } from '../../../../test/support/seed.ts';
import { type CallOptions, startService, type TestService } from '../../../../test/support/service.ts';
import { Level } from '../../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';

const CONFIG = `
include: [{local: /ci/base.yml}, {project: root/lib, file: lib.yml}]
x: {extends: .base, before_script: [prepare], tags: [b, a], rules: [{if: '$CI_COMMIT_BRANCH == "main"'}]}
y: {script: b, parallel: 2, stage: deploy, needs: [x]}
`;

for (const kind of dialects) {
  describe(`checking configurations on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let reporter: Person;
    let developer: Person;
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'checked');
      const lib = await seedProject(service.core, 'lib');
      reporter = await seedUser(service.core, 'reporter');
      developer = await seedUser(service.core, 'developer');
      await seedMember(service.core, project, reporter.user, Level.reporter);
      await seedMember(service.core, project, developer.user, Level.developer);
      await commit(project, { '.gitlab-ci.yml': CONFIG, 'ci/base.yml': '.base: {script: [a]}' });
      await commit(lib, { 'lib.yml': '.lib: {script: [lib]}' });
      await commit(project, { 'ci/base.yml': '.base: {script: [side]}' }, 'side');
    });
    after(() => service.close());

    const commit = async (to: ProjectWithNamespace, files: Record<string, string>, branch = 'main') => {
      const actions = Object.entries(files).map(([file_path, content]) => ({
        action: branch === 'main' ? 'create' : 'update',
        file_path,
        content,
      }));
      const body = {
        branch,
        ...(branch !== 'main' && { start_branch: 'main' }),
        commit_message: 'c',
        actions,
      };
      const reply = await service.api('POST', `/projects/${to.id}/repository/commits`, { body });
      assert.equal(reply.status, 201, reply.text);
    };
    const get = (query: Record<string, unknown> = {}, options: CallOptions = {}) =>
      service.api('GET', `/projects/${project.id}/ci/lint`, { query, ...options });
    const post = (body: Record<string, unknown>, options: CallOptions = {}) =>
      service.api('POST', `/projects/${project.id}/ci/lint`, { body, ...options });

    it('shows the file of the project merged, with what it includes', async () => {
      const { status, body } = await get();
      assert.equal(status, 200);
      assert.deepEqual([body.valid, body.errors, body.warnings], [true, [], []]);
      assert.match(body.merged_yaml, /^---\n"\.base":\n {2}script:\n {2}- a\n/);
      assert.deepEqual(Object.keys(body), ['valid', 'errors', 'warnings', 'merged_yaml', 'includes']);
      const [local, file] = body.includes;
      const { context_sha: sha } = local;
      assert.deepEqual(local, {
        type: 'local',
        location: 'ci/base.yml',
        blob: `${service.baseUrl}/root/checked/-/blob/${sha}/ci/base.yml`,
        raw: `${service.baseUrl}/root/checked/-/raw/${sha}/ci/base.yml`,
        extra: {},
        context_project: 'root/checked',
        context_sha: sha,
      });
      assert.deepEqual([file.type, file.extra], ['file', { project: 'root/lib', ref: 'HEAD' }]);
    });

    it('shows the jobs of the file, and those of a planned pipeline', async () => {
      const { body } = await get({ include_jobs: true });
      assert.deepEqual(body.jobs[0], {
        name: 'x',
        stage: 'test',
        before_script: ['prepare'],
        script: ['a'],
        after_script: [],
        tag_list: ['a', 'b'],
        environment: null,
        when: 'on_success',
        allow_failure: false,
        needs: null,
        only: null,
        except: null,
      });
      assert.deepEqual(body.jobs[1].only, { refs: ['branches', 'tags'] });
      const planned = await get({ include_jobs: true, dry_run: true });
      assert.deepEqual(
        planned.body.jobs.map(({ name }: { name: string }) => name),
        ['x', 'y 1/2', 'y 2/2'],
      );
      const side = await get({ dry_run: true, dry_run_ref: 'side' });
      assert.equal(side.body.valid, false);
      assert.match(
        side.body.errors[0],
        /^'y 1\/2' job needs 'x' job, but 'x' does not exist in the pipeline/,
      );
    });

    it('reads the file of another commit', async () => {
      const { body } = await get({ content_ref: 'side', include_jobs: true });
      assert.deepEqual(body.jobs[0].script, ['side']);
      assert.equal((await get({ content_ref: 'gone' })).text, '{"message":"404 Commit Not Found"}');
      const lib = await service.api('GET', '/projects/root%2Flib/ci/lint');
      assert.deepEqual(lib.body.errors, ['Please provide content of .gitlab-ci.yml']);
    });

    it('checks a text among the files of the project', async () => {
      const { status, body } = await post({
        content: 'include: ci/base.yml\nx: {extends: .base}',
        include_jobs: true,
      });
      assert.deepEqual([status, body.valid, body.jobs[0].script], [200, true, ['a']]);
      const broken = await post({ content: 'x: {stage: nowhere, script: a}' });
      assert.deepEqual([broken.status, broken.body.valid], [200, false]);
      assert.match(broken.body.errors[0], /^x job: chosen stage nowhere does not exist/);
      assert.match(broken.body.merged_yaml, /nowhere/);
      const unread = await post({ content: 'x: [' });
      assert.deepEqual([unread.body.valid, unread.body.merged_yaml], [false, null]);
      assert.equal((await post({})).text, '{"error":"content is missing"}');
    });

    it('tries a pipeline of a ref', async () => {
      const content = `x: {script: a, rules: [{if: '$CI_COMMIT_BRANCH == "side"'}]}`;
      assert.equal((await post({ content, dry_run: true, ref: 'side' })).body.valid, true);
      const none = await post({ content, dry_run: true });
      assert.match(none.body.errors[0], /^Pipeline will not run for the selected trigger/);
      const unknown = await post({ content, dry_run: true, ref: 'gone' });
      assert.deepEqual(unknown.body.errors, ['Reference not found']);
    });

    it('is for those who may see the code, or run pipelines', async () => {
      assert.equal((await get({}, { token: null })).status, 401);
      assert.equal((await get({}, { token: reporter.token })).status, 200);
      assert.equal((await post({ content: 'x: {script: a}' }, { token: reporter.token })).status, 403);
      assert.equal((await post({ content: 'x: {script: a}' }, { token: developer.token })).status, 200);
    });

    it('tells no variables to those whose pipelines would not get them', async () => {
      const variables = `/projects/${project.id}/variables`;
      const body = { key: 'PRIVATE_PATH', value: 'ci/base.yml', protected: true };
      const made = await service.api('POST', variables, { body });
      assert.equal(made.status, 201, made.text);
      // the default branch is protected, for maintainers only
      const content = 'include: $PRIVATE_PATH\nx: {extends: .base}';
      assert.equal((await post({ content })).body.valid, true);
      const refused = ['Included file `$PRIVATE_PATH` does not have YAML extension!'];
      assert.deepEqual((await post({ content, ref: 'side' })).body.errors, refused);
      assert.deepEqual((await post({ content }, { token: developer.token })).body.errors, refused);
    });

    it('refuses files of projects that the caller may not read', async () => {
      const content = 'include: {project: root/lib, file: lib.yml}\nx: {extends: .lib}';
      assert.equal((await post({ content })).body.valid, true);
      const { body } = await post({ content }, { token: developer.token });
      assert.match(body.errors[0], /^Project `root\/lib` not found or access denied!/);
    });

    it('answers hostile texts', async () => {
      const texts = [
        `x: ${'a'.repeat(10_000_000)}`,
        '\0',
        '&a [*a]',
        `${'['.repeat(100_000)}`,
        '- '.repeat(50_000),
      ];
      for (const content of texts) {
        const { status, body } = await post({ content });
        assert.deepEqual([status, body.valid], [200, false]);
      }
      const bomb = Array.from(
        { length: 30 },
        (_, n) =>
          `a${n}: &a${n} [${Array(9)
            .fill(n ? `*a${n - 1}` : 'x')
            .join(', ')}]`,
      );
      assert.deepEqual((await post({ content: bomb.join('\n') })).body.errors, [
        'The parsed YAML is too big',
      ]);
    });
  });
}
