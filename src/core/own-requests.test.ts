import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { startService } from '../../test/support/service.ts';
import { createLog } from '../platform/log.ts';
import { OwnRequests } from './own-requests.ts';

const { signal } = new AbortController();

for (const kind of dialects) {
  describe(`requests that the service makes of itself, on ${kind}`, () => {
    it('read everything, are in no log and are not counted, until they are over', async () => {
      let lines = '';
      const output = new Writable({
        write(chunk, _encoding, done) {
          lines += chunk;
          done();
        },
      });
      await using service = await startService({ kind, log: createLog('info', output) });
      await service.api('POST', '/projects', { body: { name: 'hidden', visibility: 'private' } });
      const { port } = new URL(service.baseUrl);
      const address: AddressInfo = { address: '127.0.0.1', family: 'IPv4', port: Number(port) };
      const own = new OwnRequests(service.core.authenticator, Promise.resolve(address));

      assert.equal(await own.get('/projects/1', signal), 200);
      assert.equal(await own.get('/projects/1/search?scope=blobs&search=x', signal), 200);
      assert.equal(await own.get('/projects/2', signal), 404);
      // To act as somebody else takes more than to read. What is refused is counted as anybody's.
      assert.equal(await own.get('/projects/1?sudo=root', signal), 403);
      own.close();
      assert.equal(await own.get('/projects/1', signal), 401);

      const counted = (await service.service.metrics.registry.metrics()).match(
        /^ingot_http_requests_total.*$/gm,
      );
      assert.deepEqual(
        counted?.map((line) => line.replace(/^\S+\{|\}/g, '').replaceAll('"', '')),
        [
          'method=POST,route=/api/v4/projects,status=201 1',
          'method=GET,route=/api/v4/projects/:id,status=403 1',
          'method=GET,route=/api/v4/projects/:id,status=401 1',
        ],
      );
      assert.deepEqual(
        lines.match(/"method":"\w+","route":"[^"]*"/g)?.map((line) => line.replaceAll('"', '')),
        [
          'method:POST,route:/api/v4/projects',
          'method:GET,route:/api/v4/projects/:id',
          'method:GET,route:/api/v4/projects/:id',
        ],
      );
    });

    it('end when they are told to, and wait until somebody listens', async () => {
      await using service = await startService({ kind });
      const listening = Promise.withResolvers<AddressInfo>();
      const own = new OwnRequests(service.core.authenticator, listening.promise);
      const stop = new AbortController();
      const asked = own.get('/version', stop.signal);
      stop.abort();
      listening.resolve({ address: '0.0.0.0', family: 'IPv4', port: Number(new URL(service.baseUrl).port) });
      await assert.rejects(asked, { name: 'AbortError' });
      assert.equal(await own.get('/version', signal), 200);
      own.close();
    });
  });
}
