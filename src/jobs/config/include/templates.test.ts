import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { errorsOf, names, read } from '../testing/config.ts';

const BRANCHES = 'include: [{template: Workflows/Branch-Pipelines.gitlab-ci.yml}]\nx: {script: [a]}';
const MERGE_REQUESTS =
  'include: [{template: Workflows/MergeRequest-Pipelines.gitlab-ci.yml}]\nx: {script: [a]}';

describe('templates that configurations include', () => {
  it('say which pipelines there are', async () => {
    const branch = { variables: { CI_COMMIT_BRANCH: 'side', CI_DEFAULT_BRANCH: 'main' } };
    const merge = { variables: { CI_MERGE_REQUEST_IID: '1' }, mergeRequest: true };
    assert.deepEqual(await names(BRANCHES, branch), ['x']);
    assert.deepEqual(await names(BRANCHES, merge), []);
    assert.deepEqual(await names(MERGE_REQUESTS, branch), []);
    assert.deepEqual(
      await names(MERGE_REQUESTS, { variables: { ...branch.variables, CI_COMMIT_BRANCH: 'main' } }),
      ['x'],
    );
    const { includes } = await read(BRANCHES);
    assert.deepEqual(
      includes.map(({ type, location }) => [type, location]),
      [['template', 'Workflows/Branch-Pipelines.gitlab-ci.yml']],
    );
  });

  it('are ours', async () => {
    const include = (name: string) => errorsOf(`include: [{template: ${name}}]\nx: {script: [a]}`);
    assert.deepEqual(await include('Bash.gitlab-ci.yml'), [
      'Included file `Bash.gitlab-ci.yml` is empty or does not exist!',
    ]);
    assert.deepEqual(await include('Workflows/Branch-Pipelines'), [
      'Template file `Workflows/Branch-Pipelines` is not a valid location!',
    ]);
  });
});

describe('the routes of templates', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('list and show them', async () => {
    const list = await service.api('GET', '/templates/gitlab_ci_ymls', { query: { per_page: 1 } });
    assert.equal(list.status, 200);
    assert.deepEqual(list.body, [{ key: 'Workflows/Branch-Pipelines', name: 'Workflows/Branch-Pipelines' }]);
    assert.deepEqual([list.headers['x-total'], list.headers['x-next-page']], ['2', '2']);
    const key: string = list.body[0]?.key ?? assert.fail('an empty list');
    const one = await service.api('GET', `/templates/gitlab_ci_ymls/${encodeURIComponent(key)}`);
    assert.equal(one.body.name, key);
    assert.match(one.body.content, /workflow:\n {2}rules:/);
  });

  it('know no others, and nobody without a token', async () => {
    for (const name of ['Bash', 'constructor', '..%2Fx']) {
      const reply = await service.api('GET', `/templates/gitlab_ci_ymls/${name}`);
      assert.deepEqual([reply.status, reply.body], [404, { message: '404 Template Not Found' }], name);
    }
    assert.equal((await service.api('GET', '/templates/gitlab_ci_ymls', { token: null })).status, 401);
  });
});
