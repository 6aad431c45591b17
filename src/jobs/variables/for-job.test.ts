import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { readDefinition } from '../creation/stored-definition.ts';
import { PipelineBench } from '../creation/testing.ts';
import type { JobPorts } from '../ports.ts';
import { findDefinition } from '../processing/store.ts';
import { type JobToRun, variablesForJob } from './for-job.ts';

const ports: JobPorts = {
  mergeRequests: {
    find: async () => null,
    findByIid: async () => null,
    openFrom: async () => ['root/p!1', 'root/p!2'],
  },
};

for (const kind of dialects) {
  describe(`what a job is told on ${kind}`, () => {
    let bench: PipelineBench;
    before(async () => {
      bench = await PipelineBench.open(kind);
    });
    after(() => bench[Symbol.asyncDispose]());

    /** Of the first job of the newest pipeline. */
    async function told(
      project: Awaited<ReturnType<PipelineBench['project']>>,
      more: Partial<JobToRun> = {},
    ) {
      const { core } = bench.service;
      const pipeline = (await bench.pipelines(project)).at(-1)!;
      const [job] = await bench.rows(project);
      const orders = (await findDefinition(core.db, job!.id))!;
      const variables = await variablesForJob(core, ports, {
        ...{ job: job!, pipeline, project, definition: readDefinition(orders), token: 'glcbt-secret' },
        variables: JSON.parse(orders.variables),
        runner: { id: 7, description: 'mine', tags: ['a', 'b'] },
        ...more,
      });
      return new Map(variables.map((variable) => [variable.key, variable]));
    }
    const set = (path: string, key: string, value: string, more: object = {}) =>
      bench.service.api('POST', path, { body: { key, value, ...more } });

    it('is what GitLab tells it, of the server, the project, the pipeline, the commit and itself', async () => {
      const project = await bench.project();
      const message = 'Say hello\n\nWith a body.\n';
      const config =
        'unit test: { stage: test, script: a, parallel: 2, environment: { name: qa/$CI_COMMIT_REF_SLUG, url: "https://x" } }\n';
      await bench.push(project, null, { files: { a: '1' } });
      const sha = await bench.push(project, config, { branch: 'Topic/1', from: 'main', message });
      const all = await told(project);
      const value = (key: string) => all.get(key)?.value;
      const url = bench.service.baseUrl;
      const expected: Record<string, string> = {
        CI: 'true',
        GITLAB_CI: 'true',
        CI_SERVER_URL: url,
        CI_API_V4_URL: `${url}/api/v4`,
        CI_API_GRAPHQL_URL: `${url}/api/graphql`,
        CI_SERVER_SHELL_SSH_HOST: new URL(url).hostname,
        CI_SERVER_SHELL_SSH_PORT: '22',
        CI_SERVER_VERSION_MAJOR: '17',
        CI_PROJECT_PATH: project.full_path,
        CI_PROJECT_NAMESPACE: 'root',
        CI_PROJECT_NAME: project.path,
        CI_PROJECT_URL: `${url}/${project.full_path}`,
        CI_PROJECT_VISIBILITY: 'private',
        CI_DEFAULT_BRANCH: 'main',
        CI_CONFIG_PATH: '.gitlab-ci.yml',
        CI_PIPELINE_IID: '1',
        CI_PIPELINE_SOURCE: 'push',
        CI_COMMIT_SHA: sha,
        CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
        CI_COMMIT_BEFORE_SHA: '0'.repeat(40),
        CI_COMMIT_REF_NAME: 'Topic/1',
        CI_COMMIT_REF_SLUG: 'topic-1',
        CI_COMMIT_BRANCH: 'Topic/1',
        CI_COMMIT_REF_PROTECTED: 'false',
        CI_COMMIT_TITLE: 'Say hello',
        CI_COMMIT_DESCRIPTION: 'With a body.',
        CI_COMMIT_MESSAGE: message,
        CI_COMMIT_AUTHOR: 'Ann <ann@example.com>',
        CI_OPEN_MERGE_REQUESTS: 'root/p!1,root/p!2',
        CI_JOB_NAME: 'unit test 1/2',
        CI_JOB_NAME_SLUG: 'unit-test-1-2',
        CI_JOB_GROUP_NAME: 'unit test',
        CI_JOB_STAGE: 'test',
        CI_NODE_INDEX: '1',
        CI_NODE_TOTAL: '2',
        CI_ENVIRONMENT_NAME: 'qa/topic-1',
        CI_ENVIRONMENT_TIER: 'testing',
        CI_ENVIRONMENT_URL: 'https://x',
        CI_RUNNER_TAGS: '["a","b"]',
        GITLAB_USER_LOGIN: 'root',
      };
      for (const [key, wanted] of Object.entries(expected)) assert.equal(value(key), wanted, key);
      for (const key of ['CI_COMMIT_TAG', 'CI_MERGE_REQUEST_IID', 'CI_PIPELINE_TRIGGERED']) {
        assert.equal(value(key), undefined, key);
      }
    });

    it('keeps its secrets apart', async () => {
      const project = await bench.project();
      await bench.push(project, 'one: { script: a }\n');
      const all = await told(project);
      const { public: open, masked, value } = all.get('CI_JOB_TOKEN')!;
      assert.deepEqual([open, masked, value], [false, true, 'glcbt-secret']);
      assert.match(all.get('CI_REPOSITORY_URL')!.value, /^http:\/\/gitlab-ci-token:glcbt-secret@/);
      assert.equal(all.get('CI_REPOSITORY_URL')!.public, false);
      const bridge = await told(project, { token: null });
      assert.equal(
        [...bridge.values()].some(({ value: text }) => text.includes('glcbt')),
        false,
      );
    });

    it('is the nearest of what several say, each in its turn', async () => {
      const group = (await bench.service.api('POST', '/groups', { body: { name: 'g', path: 'g' } })).body;
      const below = { name: 'h', path: 'h', parent_id: group.id };
      const inner = (await bench.service.api('POST', '/groups', { body: below })).body;
      const made = { name: 'p', namespace_id: inner.id };
      const { id } = (await bench.service.api('POST', '/projects', { body: made })).body;
      const project = (await findProjectById(bench.service.core.db, id))!;
      const keys = ['FILE', 'DOTENV', 'INSTANCE', 'OUTER', 'INNER', 'OWN', 'GIVEN'];
      const lines = keys.map((key) => `${key}: file`).join(', ');
      const from = (key: string) => keys.slice(keys.indexOf(key));
      for (const key of from('INSTANCE')) await set('/admin/ci/variables', key, 'instance');
      for (const key of from('OUTER')) await set(`/groups/${group.id}/variables`, key, 'outer');
      for (const key of from('INNER')) await set(`/groups/${inner.id}/variables`, key, 'inner');
      for (const key of from('OWN')) await set(`/projects/${id}/variables`, key, 'own');
      await bench.push(project, `variables: { ${lines}, CI_COMMIT_BRANCH: mine }\none: { script: a }\n`);
      const asked = { ref: 'main', variables: [{ key: 'GIVEN', value: 'given' }] };
      await bench.service.api('POST', `/projects/${id}/pipeline`, { body: asked });
      const dotenv = { public: false, masked: false, file: false, raw: true };
      const inherited = from('DOTENV').map((key) => ({ key, value: 'dotenv', ...dotenv }));
      const all = await told(project, { inherited });
      assert.deepEqual(
        keys.map((key) => all.get(key)?.value),
        ['file', 'dotenv', 'instance', 'outer', 'inner', 'own', 'given'],
      );
      assert.equal(all.get('CI_COMMIT_BRANCH')?.value, 'mine');
    });

    it('leaves out what is for protected branches or for other environments', async () => {
      const project = await bench.project();
      const path = `/projects/${project.id}/variables`;
      await set(path, 'PROTECTED', 'p', { protected: true });
      await set(path, 'WHERE', 'anywhere');
      await set(path, 'WHERE', 'any review', { environment_scope: 'review/*' });
      await set(path, 'WHERE', 'this one', { environment_scope: 'review/a' });
      await set(path, 'ELSEWHERE', 'x', { environment_scope: 'production' });
      const config = (environment: string) => `one: { script: a${environment} }\n`;
      await bench.push(project, config(', environment: review/a'));
      const here = await told(project);
      assert.deepEqual(
        ['PROTECTED', 'WHERE', 'ELSEWHERE'].map((key) => here.get(key)?.value),
        ['p', 'this one', undefined],
      );
      const side = { branch: 'side', from: 'main', files: { s: '1' } };
      await bench.push(project, config(', environment: review/b'), side);
      const there = await told(project);
      assert.deepEqual(
        ['PROTECTED', 'WHERE'].map((key) => there.get(key)?.value),
        [undefined, 'any review'],
      );
      await bench.push(project, config(''), side);
      assert.equal((await told(project)).get('WHERE')?.value, 'anywhere');
    });
  });
}
