import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitbeakerRequestError, Gitlab } from '@gitbeaker/rest';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { seedPipeline } from '../src/jobs/processing/testing.ts';
import { seedCommit, seedProject } from './support/seed.ts';
import { startService, type TestService } from './support/service.ts';

/** A real client over a real port: what it sends, and what it makes of the answers. */
describe('gitbeaker on runners and what jobs may reach', () => {
  let service: TestService;
  let project: ProjectWithNamespace;
  let other: ProjectWithNamespace;
  let sha: string;
  let client: InstanceType<typeof Gitlab<false>>;

  before(async () => {
    service = await startService();
    project = await seedProject(service.core, 'p');
    other = await seedProject(service.core, 'q');
    const files = { '.gitlab-ci.yml': 'build: { script: make }\n' };
    sha = await seedCommit(service.core, project, { branch: 'main', files });
    client = new Gitlab({ host: service.baseUrl, token: service.rootToken });
  });
  after(() => service.close());

  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('was not refused'),
      (error: unknown) => (error instanceof GitbeakerRequestError ? error.cause?.response.status : error),
    );

  /** Its types leave out the token, without which nobody can be verified. */
  const verify = (token: string) =>
    client.Runners.verify({ token } as Parameters<typeof client.Runners.verify>[0]);

  it('makes a runner, changes it, lends it and takes it away', async () => {
    const made = await client.Users.createCIRunner('project_type', {
      projectId: project.id,
      description: 'Anvil',
      tagList: ['iron', 'coal'],
    });
    assert.match(made.token, /^glrt-/);
    await verify(made.token);
    const before = await client.Runners.show(made.id);
    assert.deepEqual([before.description, before.tag_list?.sort()], ['Anvil', ['coal', 'iron']]);
    const changed = await client.Runners.edit(made.id, { description: 'Bellows', paused: true });
    assert.deepEqual([changed.description, changed.paused], ['Bellows', true]);
    assert.equal((await client.Runners.enable(other.id, made.id)).id, made.id);
    assert.deepEqual(
      (await client.Runners.all({ projectId: other.id })).map(({ id }) => id),
      [made.id],
    );
    await client.Runners.disable(other.id, made.id);
    assert.deepEqual(await client.Runners.all({ projectId: other.id }), []);
    assert.deepEqual(await client.Runners.allJobs(made.id, { status: 'running' }), []);
    await client.Runners.remove({ runnerId: made.id });
    assert.equal(await refusal(client.Runners.show(made.id)), 404);
    assert.equal(await refusal(verify(made.token)), 403);
  });

  it('registers one the old way', async () => {
    const { runners_token } = await client.Projects.show(project.id);
    const made = await client.Runners.register(String(runners_token), { description: 'Old' });
    assert.equal((await client.Runners.show(made.id)).description, 'Old');
    await client.Runners.remove({ token: made.token });
    assert.equal(await refusal(client.Runners.show(made.id)), 404);
  });

  it('checks configurations', async () => {
    const good = await client.Lint.lint(project.id, 'a: { script: b }', { dryRun: true, ref: 'main' });
    assert.deepEqual([good.valid, good.errors], [true, []]);
    const bad = await client.Lint.lint(project.id, 'a: { stage: test }');
    assert.equal(bad.valid, false);
    assert.match(bad.errors?.[0] ?? '', /a config should implement the script/);
    assert.equal((await client.Lint.check(project.id, { includeJobs: true })).valid, true);
  });

  it('opens and shuts what other projects’ jobs may reach', async () => {
    const scopes = client.ProjectJobTokenScopes;
    assert.equal((await scopes.show(project.id)).inbound_enabled, true);
    await scopes.edit(project.id, false);
    assert.equal((await scopes.show(project.id)).inbound_enabled, false);
    await scopes.edit(project.id, true);
    const added = await scopes.addToInboundAllowList(project.id, other.id);
    assert.deepEqual([added.source_project_id, added.target_project_id], [project.id, other.id]);
    const listed = await scopes.showInboundAllowList(project.id);
    assert.ok(listed.some(({ id }) => id === other.id));
    await scopes.removeFromInboundAllowList(project.id, other.id);
    const crew = await client.Groups.create('Crew', 'crew');
    await scopes.addToGroupsAllowList(project.id, crew.id);
    assert.deepEqual(
      (await scopes.showGroupsAllowList(project.id)).map(({ id }) => id),
      [crew.id],
    );
    await scopes.removeFromGroupsAllowList(project.id, crew.id);
    assert.deepEqual(await scopes.showGroupsAllowList(project.id), []);
  });

  it('reads and orders resource groups', async () => {
    const deploy = { resourceGroup: 'production' };
    const pipeline = await seedPipeline(service.core, project, { first: deploy, second: deploy }, { sha });
    const groups = client.ResourceGroups;
    assert.deepEqual(
      (await groups.all(project.id)).map(({ key, process_mode }) => [key, process_mode]),
      [['production', 'unordered']],
    );
    const waiting = await groups.allUpcomingJobs(project.id, 'production');
    assert.deepEqual(
      waiting.map(({ id }) => id),
      [(await pipeline.job('second')).id],
    );
    await groups.edit(project.id, 'production', { processMode: 'oldest_first' });
    assert.equal((await groups.show(project.id, 'production')).process_mode, 'oldest_first');
  });
});
