import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { createUser } from '../../core/users/create.ts';
import { createServer } from '../../platform/http/server.ts';
import { createLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics.ts';
import { insertNotices, markTold } from '../digest/store.ts';
import { type LinkedThing, type LinkTarget, UnsubscribeLinks, unsubscribePath } from './links.ts';
import { unsubscribeRoutes } from './routes.ts';
import { unsubscribeLinks } from './secret.ts';

const ISSUE = { userId: 3, thing: { type: 'Issue', id: 77 } } satisfies LinkTarget;

describe('a signed link', () => {
  const links = new UnsubscribeLinks('secret');

  it('says who and what', () => {
    const merge: LinkTarget = { userId: 3, thing: { type: 'MergeRequest', id: 5 } };
    for (const target of [ISSUE, merge, { userId: 3, mailId: 9 }]) {
      assert.deepEqual(links.read(links.key(target)), target);
    }
  });

  it('is none when a letter of it is changed, or another has signed it', () => {
    const key = links.key(ISSUE);
    for (let at = 0; at < key.length; at++) {
      const changed = key.slice(0, at) + (key[at] === '1' ? '2' : '1') + key.slice(at + 1);
      assert.equal(links.read(changed), null, changed);
    }
    const foreign = new UnsubscribeLinks('other').key(ISSUE);
    for (const wrong of [foreign, '', `${key}x`, key.slice(0, -1), '3-i-77-', '%00', 'x'.repeat(10_000)]) {
      assert.equal(links.read(wrong), null, wrong);
    }
  });
});

forEachDatabase((_kind, open) => {
  const start = async () => {
    const database = await open();
    const links = unsubscribeLinks(database);
    const left: [number, LinkedThing][] = [];
    const server = createServer({ log: createLog('silent'), metrics: new Metrics() });
    unsubscribeRoutes(server, {
      db: database.db,
      links,
      unsubscribe: async (userId, thing) => void left.push([userId, thing]),
    });
    return { database, links: await links(), server, left };
  };

  it('a link shows a page with a button and changes nothing; the button unsubscribes', async () => {
    const { links, server, left } = await start();
    const url = unsubscribePath(links.key(ISSUE));
    const page = await server.inject({ method: 'GET', url });
    assert.equal(page.statusCode, 200);
    assert.match(
      page.payload,
      /<form method="post" action="\/-\/sent_notifications\/3-i-77-[\w-]+\/unsubscribe">/,
    );
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
    assert.deepEqual(left, []);
    const done = await server.inject({ method: 'POST', url });
    assert.equal(done.statusCode, 200);
    assert.deepEqual(left, [[3, ISSUE.thing]]);
  });

  it('mail programs unsubscribe with one click', async () => {
    const { links, server, left } = await start();
    const { statusCode } = await server.inject({
      method: 'POST',
      url: unsubscribePath(links.key(ISSUE)),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });
    assert.equal(statusCode, 200);
    assert.equal(left.length, 1);
  });

  it('a digest’s link takes its reader out of all that it told him of, and nobody else', async () => {
    const { database, links, server, left } = await start();
    await database.transaction(async (tx) => {
      for (const [n, username] of ['ann', 'bob'].entries()) {
        const user = await createUser(tx, { username, name: username, email: `${username}@example.com` }, 1);
        for (const [event, type] of (['Issue', 'Issue', 'MergeRequest', null] as const).entries()) {
          await insertNotices(tx, [
            {
              event_id: event,
              kind: 'new_note',
              user_id: user.id,
              mail_id: null,
              delivery: 'daily',
              gathered_by: 'daily',
              due_at: 1,
              thing_type: type,
              thing_id: type === null ? null : 70 + n,
              notice: '{}',
              created_at: 1,
            },
          ]);
        }
      }
      const rows = await tx.selectFrom('notices').select('id').execute();
      await markTold(
        tx,
        rows.map(({ id }) => id),
        9,
      );
    });
    const ann = await database.db
      .selectFrom('users')
      .select('id')
      .where('username', '=', 'ann')
      .executeTakeFirst();
    await server.inject({ method: 'POST', url: unsubscribePath(links.key({ userId: ann!.id, mailId: 9 })) });
    assert.deepEqual(
      left.sort(([, a], [, b]) => a.type.localeCompare(b.type)),
      [
        [ann!.id, { type: 'Issue', id: 70 }],
        [ann!.id, { type: 'MergeRequest', id: 70 }],
      ],
    );
  });

  it('a link that is none of ours is not found', async () => {
    const { links, server, left } = await start();
    const url = unsubscribePath(links.key(ISSUE).replace('-77-', '-78-'));
    for (const method of ['GET', 'POST'] as const) {
      assert.equal((await server.inject({ method, url })).statusCode, 404);
    }
    assert.deepEqual(left, []);
  });

  it('all processes sign with the same secret', async () => {
    const { database, links } = await start();
    const again = await unsubscribeLinks(database)();
    assert.equal(again.key(ISSUE), links.key(ISSUE));
  });
});
