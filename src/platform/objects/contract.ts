import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import {
  type ByteRange,
  InvalidKey,
  type ListedObject,
  ObjectNotFound,
  type ObjectStore,
  ObjectTooLarge,
} from './object-store.ts';

export interface ObjectStoreContract {
  name: string;
  /** A fresh, empty store and how to remove it. */
  make(): Promise<{ store: ObjectStore; remove(): Promise<void> }>;
  /** Tests that an adapter cannot pass, each with the reason why. */
  skip?: readonly { test: string; reason: string }[];
}

const badKeys = [
  '',
  '/',
  '/etc/passwd',
  'a/',
  'a//b',
  '..',
  'a/../b',
  '.',
  './a',
  '.tmp/a',
  'a/.hidden',
  'a\0b',
  'a\\b',
  'a\nb',
  'a b',
  'é',
  '-rf',
  'C:a',
  'a'.repeat(201),
  Array.from({ length: 60 }, () => 'abcdefghij').join('/'),
];

/** What every adapter of `ObjectStore` must do. A new adapter's test is a call of this. */
export function runObjectStoreContract(contract: ObjectStoreContract): void {
  describe(`object store: ${contract.name}`, () => {
    let store: ObjectStore;
    let remove = async () => {};
    before(async () => {
      ({ store, remove } = await contract.make());
    });
    after(() => remove());

    const holds = (name: string, test: () => Promise<void>) => {
      const skipped = contract.skip?.find((entry) => entry.test === name);
      it(name, { skip: skipped?.reason ?? false }, test);
    };
    const read = async (key: string, range?: ByteRange) => String(await buffer(await store.get(key, range)));
    const list = async (prefix: string) => {
      const objects: ListedObject[] = [];
      for await (const object of store.list(prefix)) objects.push(object);
      return objects;
    };
    const keys = async (prefix: string) => (await list(prefix)).map((object) => object.key).sort();

    holds('gives back what was put, with its size and digest', async () => {
      const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
      const sha256 = createHash('sha256').update(body).digest('hex');
      assert.deepEqual(await store.put('put/bytes', body), { size: 300_000, sha256 });
      const chunks = [body.subarray(0, 1), body.subarray(1, 100_000), body.subarray(100_000)];
      assert.deepEqual(await store.put('put/stream', Readable.from(chunks)), { size: 300_000, sha256 });
      for (const key of ['put/bytes', 'put/stream']) {
        assert.ok(body.equals(await buffer(await store.get(key))));
        const head = await store.head(key);
        assert.equal(head?.size, 300_000);
        assert.ok(Number.isInteger(head.modifiedAt) && head.modifiedAt > 1_600_000_000_000);
      }
    });

    holds('keeps an empty object', async () => {
      const { size } = await store.put('empty', Readable.from([]));
      assert.equal(size, 0);
      assert.equal(await read('empty'), '');
      assert.equal((await store.put('empty', Buffer.alloc(0))).size, 0);
      assert.equal((await store.head('empty'))?.size, 0);
    });

    holds('gives parts', async () => {
      await store.put('parts', Buffer.from('0123456789'));
      assert.equal(await read('parts', { start: 0, end: 0 }), '0');
      assert.equal(await read('parts', { start: 3, end: 5 }), '345');
      assert.equal(await read('parts', { start: 7 }), '789');
      assert.equal(await read('parts', { start: 8, end: 1000 }), '89');
      assert.equal(await read('parts', { start: 10 }), '');
      for (const range of [{ start: -1 }, { start: 0.5 }, { start: 3, end: 2 }, { start: Number.NaN }]) {
        await assert.rejects(store.get('parts', range), RangeError);
      }
    });

    holds('says that an object is not there', async () => {
      await assert.rejects(store.get('nothing/here'), ObjectNotFound);
      assert.equal(await store.head('nothing/here'), null);
      await store.put('folder/inside', Buffer.from('x'));
      await assert.rejects(store.get('folder'), ObjectNotFound);
      assert.equal(await store.head('folder'), null);
      await assert.rejects(store.get('folder/inside/deeper'), ObjectNotFound);
      assert.equal(await store.head('folder/inside/deeper'), null);
    });

    holds('replaces an object as a whole, while a reader keeps the former', async () => {
      await store.put('replaced', Buffer.from('former'));
      const reading = await store.get('replaced');
      await store.put('replaced', Buffer.from('new'));
      assert.equal(String(await buffer(reading)), 'former');
      assert.equal(await read('replaced'), 'new');
    });

    holds('shows nothing of an object whose stream fails, and keeps the former', async () => {
      const failing = () =>
        Readable.from(
          (async function* () {
            yield Buffer.alloc(100_000, 'x');
            throw new Error('the connection broke');
          })(),
        );
      await assert.rejects(store.put('broken/new', failing()), /the connection broke/);
      assert.equal(await store.head('broken/new'), null);
      await store.put('broken/old', Buffer.from('former'));
      await assert.rejects(store.put('broken/old', failing()), /the connection broke/);
      assert.equal(await read('broken/old'), 'former');
      assert.deepEqual(await keys('broken'), ['broken/old']);
    });

    holds('shows nothing of an object that is still being written', async () => {
      const midway = Promise.withResolvers<void>();
      const rest = Promise.withResolvers<void>();
      const slow = Readable.from(
        (async function* () {
          yield Buffer.from('first');
          midway.resolve();
          await rest.promise;
          yield Buffer.from(' second');
        })(),
      );
      const put = store.put('slow/one', slow);
      await midway.promise;
      assert.equal(await store.head('slow/one'), null);
      assert.deepEqual(await keys('slow'), []);
      rest.resolve();
      await put;
      assert.equal(await read('slow/one'), 'first second');
    });

    holds('refuses more bytes than allowed', async () => {
      const options = { maxBytes: 10 };
      const endless = Readable.from(
        (async function* () {
          for (;;) yield Buffer.alloc(1000);
        })(),
      );
      await assert.rejects(store.put('large/stream', endless, options), ObjectTooLarge);
      await assert.rejects(store.put('large/bytes', Buffer.alloc(11), options), ObjectTooLarge);
      assert.deepEqual(await keys('large/'), []);
      assert.equal((await store.put('large/fits', Buffer.alloc(10), options)).size, 10);
    });

    holds('deletes, and deletes again', async () => {
      await store.put('deleted/deep/one', Buffer.from('1'));
      await store.put('deleted/two', Buffer.from('2'));
      await store.delete('deleted/deep/one');
      await store.delete('deleted/deep/one');
      await store.delete('deleted');
      assert.equal(await store.head('deleted/deep/one'), null);
      assert.deepEqual(await keys('deleted/'), ['deleted/two']);
      await store.put('deleted/deep/one', Buffer.from('again'));
      assert.equal(await read('deleted/deep/one'), 'again');
    });

    holds(
      'deletes many, those that are there and those that are not, and says what it could not',
      async () => {
        const all = ['many/a/1', 'many/a/2', 'many/b/1', 'many/c'];
        for (const key of all) await store.put(key, Buffer.from(key));
        const left = await store.deleteMany(['many/a/1', 'many/a/2', 'many/none', '../many', 'many/b/1']);
        assert.deepEqual([...left.keys()], ['../many']);
        assert.ok(left.get('../many') instanceof InvalidKey);
        assert.deepEqual(await keys('many/'), ['many/c']);
      },
    );

    holds('deletes a great many just so', async () => {
      const all = Array.from({ length: 60 }, (_, n) => `great/${n % 3}/${n}`);
      for (const key of all) await store.put(key, Buffer.from(key));
      const gone = all.filter((_, n) => n !== 7);
      const left = await store.deleteMany([...gone, 'great/none', '../great', 'great/1/7/none', 'great/1']);
      assert.deepEqual([...left.keys()], ['../great']);
      assert.ok(left.get('../great') instanceof InvalidKey);
      assert.deepEqual(await keys('great/'), ['great/1/7']);
      assert.equal((await store.deleteMany(all)).size, 0);
      assert.deepEqual(await keys('great/'), []);
    });

    holds('lists by prefix', async () => {
      const all = ['list/a/1', 'list/a/2', 'list/ab', 'list/b/c/d', 'listed'];
      for (const key of all) await store.put(key, Buffer.from(key));
      assert.deepEqual(await keys('list'), all);
      assert.deepEqual(await keys('list/'), all.slice(0, 4));
      assert.deepEqual(await keys('list/a'), all.slice(0, 3));
      assert.deepEqual(await keys('list/a/'), all.slice(0, 2));
      assert.deepEqual(await keys('list/b/c/d'), ['list/b/c/d']);
      assert.deepEqual(await keys('list/none'), []);
      assert.ok((await keys('')).includes('listed'));
      const [object] = await list('list/b');
      assert.equal(object?.size, 10);
      assert.equal(object.modifiedAt, (await store.head('list/b/c/d'))?.modifiedAt);
    });

    holds('refuses what is no key', async () => {
      for (const key of badKeys) {
        await assert.rejects(store.put(key, Buffer.from('x')), InvalidKey, `put ${JSON.stringify(key)}`);
        await assert.rejects(store.get(key), InvalidKey, `get ${JSON.stringify(key)}`);
        await assert.rejects(store.head(key), InvalidKey, `head ${JSON.stringify(key)}`);
        await assert.rejects(store.delete(key), InvalidKey, `delete ${JSON.stringify(key)}`);
      }
      for (const prefix of ['/', '../', 'a/../', '.tmp/', 'a\0']) {
        await assert.rejects(keys(prefix), InvalidKey, `list ${JSON.stringify(prefix)}`);
      }
    });

    holds('refuses a key that runs through another', async () => {
      await store.put('through/one', Buffer.from('1'));
      await assert.rejects(store.put('through/one/two', Buffer.from('2')), InvalidKey);
      await assert.rejects(store.put('through', Buffer.from('2')), InvalidKey);
      assert.equal(await read('through/one'), '1');
    });

    holds('takes many writers and deleters at once', async () => {
      const put = (n: number) => store.put(`busy/${n % 3}/${n % 5}`, Buffer.from(String(n)));
      await Promise.all(
        Array.from({ length: 60 }, (_, n) => (n % 2 ? put(n) : store.delete(`busy/${n % 3}/${n % 5}`))),
      );
      for (const key of await keys('busy')) assert.match(await read(key), /^\d+$/);
    });
  });
}
