import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitbeakerRequestError, Gitlab } from '@gitbeaker/rest';
import { type Person, seedUser } from './support/seed.ts';
import { startService, type TestService } from './support/service.ts';

/** A real client over a real port: what it sends, and what it makes of the answers. */
describe('gitbeaker on notifications', () => {
  let service: TestService;
  let ann: Person;
  let client: InstanceType<typeof Gitlab<false>>;
  let groupId: number;
  let projectId: number;

  before(async () => {
    service = await startService();
    ann = await seedUser(service.core, 'ann');
    client = new Gitlab({ host: service.baseUrl, token: ann.token });
    groupId = (await client.Groups.create('Crew', 'crew')).id;
    projectId = (await client.Projects.create({ name: 'Ship', namespaceId: groupId })).id;
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

  it('reads and sets the level everywhere', async () => {
    assert.deepEqual(await client.NotificationSettings.show(), {
      level: 'participating',
      notification_email: 'ann@example.com',
    });
    assert.equal((await client.NotificationSettings.edit({ level: 'watch' })).level, 'watch');
    assert.equal((await client.NotificationSettings.show()).level, 'watch');
  });

  it('takes the level of a group and of a project by number and by path, with events where it is custom', async () => {
    assert.deepEqual(await client.NotificationSettings.show({ groupId: 'crew' }), { level: 'global' });
    const own = { level: 'custom', newNote: true, issueDue: true, fixedPipeline: false };
    const ofGroup = await client.NotificationSettings.edit({ groupId, ...own });
    const { new_note, issue_due, fixed_pipeline, close_issue } = ofGroup['events'] as Record<string, boolean>;
    assert.deepEqual(
      { level: ofGroup.level, new_note, issue_due, fixed_pipeline, close_issue },
      { level: 'custom', new_note: true, issue_due: true, fixed_pipeline: false, close_issue: false },
    );
    await client.NotificationSettings.edit({ projectId, level: 'disabled' });
    assert.deepEqual(await client.NotificationSettings.show({ projectId: 'crew/ship' }), {
      level: 'disabled',
    });
  });

  it('is told what no level is, and nothing of places that it may not see', async () => {
    assert.equal(((await refusal(client.NotificationSettings.edit({ level: 'loud' }))) as [number])[0], 400);
    const hidden = await service.api('POST', '/projects', {
      token: service.rootToken,
      body: { name: 'hidden', visibility: 'private' },
    });
    assert.deepEqual(await refusal(client.NotificationSettings.show({ projectId: hidden.body.id })), [
      404,
      '404 Project Not Found',
    ]);
  });

  it('adds, reads and removes addresses', async () => {
    const added = await client.UserEmails.create('ann@work.example');
    assert.deepEqual([added.email, added['confirmed_at']], ['ann@work.example', null]);
    assert.equal((await client.UserEmails.show(added.id)).email, 'ann@work.example');
    const unconfirmed = client.NotificationSettings.edit({ notificationEmail: 'ann@work.example' });
    assert.equal(((await refusal(unconfirmed)) as [number])[0], 400);
    await client.UserEmails.remove(added.id);
    assert.deepEqual(await client.UserEmails.all(), []);
    const root = new Gitlab({ host: service.baseUrl, token: service.rootToken });
    const options = { userId: ann.user.id, skipConfirmation: true };
    const confirmed = await root.UserEmails.create('ann@home.example', options);
    assert.match(String(confirmed['confirmed_at']), /Z$/);
    const chosen = await client.NotificationSettings.edit({ notificationEmail: 'ann@home.example' });
    assert.equal(chosen.notification_email, 'ann@home.example');
    await root.UserEmails.remove(confirmed.id, { userId: ann.user.id });
    assert.equal((await client.NotificationSettings.show()).notification_email, 'ann@example.com');
  });

  it('follows issues and merge requests, and leaves them', async () => {
    const { iid } = await client.Issues.create(projectId, 'Leak');
    assert.equal((await client.Issues.unsubscribe(projectId, iid)).subscribed, false);
    assert.equal((await client.Issues.subscribe(projectId, iid)).subscribed, true);
    assert.deepEqual(
      (await client.Issues.allParticipants(projectId, iid)).map(({ username }) => username),
      ['ann'],
    );
    const actions = [{ action: 'create' as const, filePath: 'a', content: 'a' }];
    await client.Commits.create(projectId, 'main', 'First', actions);
    await client.Commits.create(projectId, 'patch', 'Second', [{ ...actions[0]!, filePath: 'b' }], {
      startBranch: 'main',
    });
    const offered = await client.MergeRequests.create(projectId, 'patch', 'main', 'Patch');
    assert.equal((await client.MergeRequests.unsubscribe(projectId, offered.iid)).subscribed, false);
    assert.equal((await client.MergeRequests.subscribe(projectId, offered.iid)).subscribed, true);
    assert.deepEqual(
      (await client.MergeRequests.allParticipants(projectId, offered.iid)).map(({ username }) => username),
      ['ann'],
    );
  });
});
