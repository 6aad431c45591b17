import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { checkAnswer } from '../../../test/support/check-answer.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import { Api } from './api.ts';
import { optional, param, params } from './params.ts';
import { Type } from './schema.ts';
import { createServer } from './server.ts';

const server = createServer({ log: createLog('silent'), metrics: new Metrics() });
const api = new Api({
  server,
  baseUrl: () => 'http://forge.test',
  checkAnswer,
  authenticate: async () => ({ user: { id: 1, username: 'ada' } }),
});
const room = api.room('things');
const echo = { responses: { 200: Type.Unknown() }, summary: 'Echo' };
const reading = { ...echo, handler: ({ raw }: { raw: unknown }) => raw };
room.get('/things', { ...reading, params: params({}) });
room.get('/things/:number', { ...reading, params: params({ number: param.integer() }) });
room.get('/projects/:id', { ...reading, params: params({ id: param.string() }) });
room.get('/projects/:id/files', { ...reading, params: params({ id: param.string() }) });
room.get('/archive', { ...reading, params: params({ format: optional(param.string()) }) });
room.delete('/things/:number', { ...reading, params: params({ number: param.integer() }) });

const ask = async (url: string, headers: Record<string, string> = {}) => {
  const reply = await server.inject({ method: 'GET', url: `/api/v4${url}`, headers });
  const body = reply.payload === '' ? null : reply.json();
  return { status: reply.statusCode, body, headers: reply.headers };
};

server.get('/-/inside', async () => 'x');

after(() => server.close());

describe('formats', () => {
  for (const [url, expected] of [
    ['/things.json', {}],
    ['/things.json?a=b.json', { a: 'b.json' }],
    ['/things?format=json', { format: 'json' }],
    ['/things/5.json', { number: '5' }],
    ['/things/5.txt', { number: '5' }],
    ['/projects/a.json', { id: 'a.json' }],
    ['/projects/5/files.json', { id: '5' }],
    ['/archive?format=xml', { format: 'xml' }],
  ] as const) {
    it(`reads ${url} as ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await ask(url).then(({ status, body }) => [status, body]), [200, expected]);
    });
  }

  for (const [url, status, body] of [
    ['/things?format=xml', 406, { error: "The requested format 'xml' is not supported." }],
    ['/things.xml', 404, { error: '404 Not Found' }],
    ['/nothing.json', 404, { error: '404 Not Found' }],
    ['/archive.json', 404, { error: '404 Not Found' }],
    ['/things/five.json', 400, { error: 'number is invalid' }],
  ] as const) {
    it(`refuses ${url} with ${status}`, async () => {
      assert.deepEqual(await ask(url).then((reply) => [reply.status, reply.body]), [status, body]);
    });
  }

  it('tells OPTIONS the methods of an address with a format', async () => {
    const reply = await server.inject({ method: 'OPTIONS', url: '/api/v4/things/5.json' });
    assert.equal(reply.headers['allow'], 'OPTIONS, GET, DELETE, HEAD');
  });
});

describe('what a client has already', () => {
  for (const [kind, header] of [
    ['its tag', (tag: string) => tag],
    ['a list with its tag', (tag: string) => `"x", ${tag}`],
    ['the strong form of its tag', (tag: string) => tag.slice(2)],
    ['anything', () => '*'],
  ] as const) {
    it(`answers 304 to ${kind}`, async () => {
      const { headers } = await ask('/things');
      const again = await ask('/things', { 'if-none-match': header(String(headers['etag'])) });
      assert.deepEqual([again.status, again.body], [304, null]);
    });
  }

  it('sends the answer to who has another', async () => {
    assert.equal((await ask('/things', { 'if-none-match': 'W/"other"' })).status, 200);
  });
});

describe('other origins', () => {
  it('opens the API, and nothing else, to scripts of other sites', async () => {
    const origin = { origin: 'http://elsewhere.test' };
    assert.equal((await ask('/things', origin)).headers['access-control-allow-origin'], '*');
    const inside = await server.inject({ url: '/-/inside', headers: origin });
    assert.equal(inside.headers['access-control-allow-origin'], undefined);
  });
});
