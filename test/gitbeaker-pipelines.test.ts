import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitbeakerRequestError, Gitlab } from '@gitbeaker/rest';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { seedCommit, seedProject } from './support/seed.ts';
import { startService, type TestService } from './support/service.ts';

const CONFIG = [
  'build: { stage: build, script: make }',
  'begin: { stage: test, trigger: { include: child.yml } }',
].join('\n');

/** A real client over a real port: what it sends, and what it makes of the answers. */
describe('gitbeaker on pipelines', () => {
  let service: TestService;
  let project: ProjectWithNamespace;
  let client: InstanceType<typeof Gitlab<false>>;

  before(async () => {
    service = await startService();
    project = await seedProject(service.core, 'p');
    client = new Gitlab({ host: service.baseUrl, token: service.rootToken });
    const files = { '.gitlab-ci.yml': CONFIG, 'child.yml': 'inner: { script: a }\n' };
    await seedCommit(service.core, project, { branch: 'main', files });
    await service.core.events.idle();
  });
  after(() => service.close());

  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('was not refused'),
      (error: unknown) =>
        error instanceof GitbeakerRequestError
          ? [error.cause?.response.status, error.cause?.description]
          : error,
    );

  it('begins, reads, cancels, retries and deletes them', async () => {
    const [pushed] = await client.Pipelines.all(project.id);
    assert.equal(pushed?.source, 'push');
    const variables = [{ key: 'MODE', value: 'fast', variable_type: 'env_var' }];
    const made = await client.Pipelines.create(project.id, 'main', { variables });
    assert.deepEqual([made.source, made.status, made.ref], ['api', 'pending', 'main']);
    const [variable] = await client.Pipelines.allVariables(project.id, made.id);
    assert.deepEqual([variable?.key, variable?.value], ['MODE', 'fast']);
    assert.equal((await client.Pipelines.showLatest(project.id, { ref: 'main' })).id, made.id);
    const [bridge] = await client.Jobs.allPipelineBridges(project.id, made.id);
    assert.deepEqual([bridge?.name, bridge?.downstream_pipeline], ['begin', null]);
    assert.equal((await client.Pipelines.cancel(project.id, made.id)).status, 'canceled');
    assert.equal((await client.Pipelines.retry(project.id, made.id)).status, 'pending');
    await client.Pipelines.remove(project.id, made.id);
    assert.deepEqual(await refusal(client.Pipelines.show(project.id, made.id)), [404, '404 Not found']);
    const [status, words] = (await refusal(client.Pipelines.create(project.id, 'nowhere'))) as [
      number,
      string,
    ];
    assert.equal(status, 400);
    assert.match(JSON.stringify(words), /Reference not found/);
  });

  it('keeps variables of projects, groups and the service', async () => {
    const made = await client.ProjectVariables.create(project.id, 'KEY', 'value-of-eight', {
      masked: true,
      environmentScope: 'production',
    });
    assert.deepEqual([made.key, made.masked, made.environment_scope], ['KEY', true, 'production']);
    await client.ProjectVariables.create(project.id, 'KEY', 'anywhere');
    const filter = { environment_scope: 'production' };
    assert.equal((await client.ProjectVariables.show(project.id, 'KEY', { filter })).value, 'value-of-eight');
    assert.equal(((await refusal(client.ProjectVariables.show(project.id, 'KEY'))) as [number])[0], 409);
    const edited = await client.ProjectVariables.edit(project.id, 'KEY', 'other-of-eight', { filter });
    assert.equal(edited.value, 'other-of-eight');
    assert.equal((await client.ProjectVariables.all(project.id)).length, 2);
    const group = await client.Groups.create('G', 'g');
    await client.GroupVariables.create(group.id, 'GROUP', 'v');
    await client.GroupVariables.remove(group.id, 'GROUP');
    assert.deepEqual(await client.GroupVariables.all(group.id), []);
    await client.InstanceLevelCICDVariables.create('ALL', 'v', { protected: true });
    assert.equal((await client.InstanceLevelCICDVariables.edit('ALL', 'w')).value, 'w');
    await client.InstanceLevelCICDVariables.remove('ALL');
  });

  it('triggers and schedules', async () => {
    const { id, token } = await client.PipelineTriggerTokens.create(project.id, 'from elsewhere');
    const fired = await client.PipelineTriggerTokens.trigger(project.id, 'main', token, {
      variables: { WHO: 'me' },
    });
    assert.equal(fired.source, 'trigger');
    assert.equal((await client.PipelineTriggerTokens.all(project.id)).length, 1);
    await client.PipelineTriggerTokens.remove(project.id, id);
    const made = await client.PipelineSchedules.create(project.id, 'Nightly', 'main', '0 1 * * *');
    assert.deepEqual([made.cron, made.active, made.owner.username], ['0 1 * * *', true, 'root']);
    const edited = await client.PipelineSchedules.edit(project.id, made.id, { active: false });
    assert.equal(edited.active, false);
    const variable = await client.PipelineScheduleVariables.create(project.id, made.id, 'K', 'v');
    assert.equal(variable.value, 'v');
    await client.PipelineSchedules.run(project.id, made.id);
    const [begun] = await client.PipelineSchedules.allTriggeredPipelines(project.id, made.id);
    assert.equal(begun?.source, 'schedule');
    await client.PipelineSchedules.takeOwnership(project.id, made.id);
    assert.equal((await client.PipelineSchedules.show(project.id, made.id)).last_pipeline.id, begun?.id);
    await client.PipelineSchedules.remove(project.id, made.id);
  });

  it('begins those of merge requests', async () => {
    const files = { '.gitlab-ci.yml': 'test: { script: a, only: [merge_requests] }\n', x: '1' };
    await seedCommit(service.core, project, { branch: 'topic', from: 'main', files });
    const { iid } = await client.MergeRequests.create(project.id, 'topic', 'main', 'Topic');
    await service.core.events.idle();
    const made = await client.MergeRequests.createPipeline(project.id, iid);
    assert.equal(made.source, 'merge_request_event');
    const all = await client.MergeRequests.allPipelines(project.id, iid);
    assert.deepEqual(
      all.map(({ source }) => source),
      ['merge_request_event', 'merge_request_event'],
    );
  });
});
