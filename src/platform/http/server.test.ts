import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkAnswer } from '../../../test/support/check-answer.ts';
import { ApiError, fail } from '../errors.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import { Answer, Bytes, contentDisposition } from './answer.ts';
import { Api } from './api.ts';
import { healthRoutes } from './health.ts';
import { openApiRoute } from './openapi.ts';
import { pageAnswer, pageOf, pageParams } from './pagination.ts';
import { optional, param, params, withDefault } from './params.ts';
import { Type } from './schema.ts';
import { createServer } from './server.ts';

const lines: string[] = [];

function build() {
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const metrics = new Metrics();
  const server = createServer({ log, metrics, bodyLimit: 1024 * 1024 });
  const api = new Api({
    server,
    baseUrl: () => 'http://forge.test',
    checkAnswer,
    authenticate: async ({ token, sudo }, { scopes }) => {
      if (token === null) throw fail.unauthorized();
      if (token === 'narrow' && !scopes.includes('read_api')) throw new ApiError('insufficient_scope');
      return { user: { id: 1, username: sudo ?? 'ada' } };
    },
  });
  const room = api.room('things');
  const echo = Type.Object({ params: Type.Unknown(), user: Type.String() });
  const shape = {
    id: param.string(),
    n: optional(param.integer()),
    text: optional(param.string()),
    list: optional(param.list(param.string())),
  };
  for (const [method, status] of [
    ['get', 200],
    ['post', 201],
    ['put', 200],
    ['delete', 200],
  ] as const) {
    room[method]('/things/:id', {
      summary: 'Echo',
      params: params(shape),
      responses: { [status]: echo },
      handler: ({ params, caller }) => ({ params, user: caller.user.username }),
    });
  }
  room.get('/things', {
    summary: 'List',
    params: params({
      state: withDefault(param.oneOf(['all', 'open']), 'all'),
      labels: optional(param.csv()),
      ...pageParams,
    }),
    responses: { 200: Type.Array(Type.Integer()) },
    handler: (call) => {
      const page = pageOf(call.params);
      const items = Array.from({ length: 205 }, (_, i) => i).slice(page.offset, page.offset + page.perPage);
      return pageAnswer(call, page, items, { total: 205 });
    },
  });
  room.get('/broken', {
    summary: 'Fails',
    params: params({}),
    responses: { 200: Type.Null() },
    handler: () => {
      throw new Error('secret detail');
    },
  });
  room.post('/slow', {
    summary: 'Refuses after a while',
    params: params({}),
    responses: { 201: Type.Null() },
    handler: async () => {
      await sleep(20);
      throw fail.refused('no');
    },
  });
  room.get('/file', {
    summary: 'A file',
    params: params({}),
    responses: { 200: null },
    handler: () =>
      new Answer(200, new Bytes(Buffer.from('x')), {
        'content-type': 'application/octet-stream',
        'content-disposition': contentDisposition('attachment', 'a"b\r\nя.zip'),
      }),
  });
  openApiRoute(api);
  healthRoutes(server, { metrics, isReady: async () => true });
  return server;
}

describe('the HTTP face', () => {
  const server = build();
  const token = { 'private-token': 't' };
  let port = 0;
  before(async () => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    port = (server.server.address() as AddressInfo).port;
  });
  after(() => server.close());

  const get = (url: string, headers: Record<string, string> = token) => server.inject({ url, headers });
  const send = (
    method: 'POST' | 'PUT' | 'DELETE',
    payload: string | Buffer,
    type?: string,
    url = '/things/7',
  ) =>
    server.inject({
      method,
      url: `/api/v4${url}`,
      headers: { ...token, ...(type && { 'content-type': type }) },
      payload,
    });

  it('asks for a credential before anything else', async () => {
    const reply = await get('/api/v4/things/7?n=bad', {});
    assert.equal(reply.statusCode, 401);
    assert.equal(reply.payload, '{"message":"401 Unauthorized"}');
    assert.equal(reply.headers['content-type'], 'application/json');
  });

  const ways: Record<string, string>[] = [
    { 'private-token': 't' },
    { authorization: 'Bearer t' },
    { authorization: 'bearer t' },
  ];
  for (const headers of ways) {
    it(`takes ${JSON.stringify(headers)}`, async () =>
      assert.equal((await get('/api/v4/things/7', headers)).statusCode, 200));
  }
  for (const query of ['private_token=t', 'access_token=t']) {
    it(`takes ?${query}`, async () =>
      assert.equal((await get(`/api/v4/things/7?${query}`, {})).statusCode, 200));
  }

  it('names whom it acts for with sudo, the parameter before the header', async () => {
    const reply = await get('/api/v4/things/7?sudo=eve', { ...token, sudo: 'bob' });
    assert.equal(reply.json().user, 'eve');
  });

  it('lets path beat body beat query', async () => {
    const reply = await send(
      'POST',
      '{"id":"body","n":2}',
      'application/json',
      '/things/7?n=1&id=q&text=kept',
    );
    assert.deepEqual(reply.json().params, { id: '7', n: 2, text: 'kept' });
    assert.equal(reply.statusCode, 201);
  });

  it('reads forms and multipart alike', async () => {
    const form = await send('PUT', 'n=3&list[]=a&list[]=b', 'application/x-www-form-urlencoded');
    assert.deepEqual(form.json().params, { id: '7', n: 3, list: ['a', 'b'] });
    const body = ['--B', 'Content-Disposition: form-data; name="list[]"', '', 'я', '--B--', ''].join('\r\n');
    const multipart = await send('POST', body, 'multipart/form-data; boundary=B');
    assert.deepEqual(multipart.json().params, { id: '7', list: ['я'] });
  });

  it('takes an empty body of any type for none', async () => {
    for (const type of ['application/json', 'text/plain', undefined]) {
      assert.equal((await send('DELETE', '', type)).statusCode, 200, String(type));
      assert.equal((await send('POST', '', type)).statusCode, 201, String(type));
    }
  });

  it('ignores JSON that is no object', async () => {
    for (const body of ['[]', '"x"', '1', 'null']) {
      assert.equal((await send('POST', body, 'application/json; charset=utf-8')).statusCode, 201, body);
    }
  });

  for (const [what, body, type, status, answer] of [
    ['broken JSON', '{', 'application/json', 400, { error: 'message body does not match declared format' }],
    ['deep JSON', '['.repeat(5000), 'application/json', 400, null],
    ['JSON that is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400, null],
    ['a NUL in JSON', '{"text":"a\\u0000b"}', 'application/json', 400, null],
    ['a NUL in a form', 'text=%00', 'application/x-www-form-urlencoded', 400, null],
    [
      'an unknown type',
      'x',
      'image/png',
      415,
      { error: "The provided content-type 'image/png' is not supported." },
    ],
    ['multipart without a boundary', 'x', 'multipart/form-data', 400, null],
    [
      'a body too large',
      'x'.repeat(1024 * 1024 + 1),
      'application/json',
      413,
      { message: '413 Request Entity Too Large' },
    ],
    ['a wrong type', '{"n":"x"}', 'application/json', 400, { error: 'n is invalid' }],
  ] as const) {
    it(`refuses ${what} with ${status}`, async () => {
      const reply = await send('POST', body as string, type);
      assert.equal(reply.statusCode, status, reply.payload);
      if (answer) assert.deepEqual(reply.json(), answer);
      assert.doesNotMatch(reply.payload, /FST_|at .*\.ts/);
    });
  }

  for (const [url, status, body] of [
    ['/api/v4/nothing', 404, '{"error":"404 Not Found"}'],
    ['/api/v4', 404, '{"error":"404 Not Found"}'],
    ['/api/v4/Things', 404, '{"error":"404 Not Found"}'],
    ['/api/v4/things/a/b', 404, '{"error":"404 Not Found"}'],
    ['/api/v3/things', 410, '{"error":"API V3 is no longer supported. Use API V4 instead."}'],
    ['/api/v4/things/%zz', 400, 'Bad Request'],
    ['/api/v4/things/7?a=%zz', 400, 'Bad Request'],
    ['/api/v4/things/7?text=%00', 400, 'Bad Request'],
    ['/api/v4/things/a%00b', 400, 'Bad Request'],
    ['/anything', 404, '{"error":"404 Not Found"}'],
  ] as const) {
    it(`answers ${url} with ${status}`, async () => {
      const reply = await get(url);
      assert.equal(reply.statusCode, status);
      assert.equal(reply.payload, body);
    });
  }

  describe('a form that comes with GET', () => {
    const FORM = 'application/x-www-form-urlencoded';
    const read = (payload: string, type: string, url = '/api/v4/things/7?n=1') =>
      server.inject({ method: 'GET', url, headers: { ...token, 'content-type': type }, payload });

    it('has parameters as good as those of the query', async () => {
      const reply = await read('text=a+b&list[]=x&list[]=y&id=8', FORM);
      assert.deepEqual(reply.json().params, { id: '7', n: 1, text: 'a b', list: ['x', 'y'] });
      const parts = '--x\r\ncontent-disposition: form-data; name="text"\r\n\r\nz\r\n--x--\r\n';
      const multipart = await read(parts, 'multipart/form-data; boundary=x');
      assert.deepEqual(multipart.json().params, { id: '7', n: 1, text: 'z' });
    });

    it('may hold the token', async () => {
      const reply = await server.inject({
        method: 'GET',
        url: '/api/v4/things/7',
        headers: { 'content-type': FORM },
        payload: 'private_token=t',
      });
      assert.equal(reply.statusCode, 200);
    });

    it('is checked like any other, and may be empty', async () => {
      assert.deepEqual((await read('n=x', FORM)).json(), { error: 'n is invalid' });
      assert.deepEqual((await read('', FORM)).json().params, { id: '7', n: 1 });
      assert.equal((await read('text=%00', FORM)).payload, 'Bad Request');
      assert.equal((await read(`text=${'x'.repeat(1024 * 1024)}`, FORM)).statusCode, 413);
    });

    it('is no JSON: that counts for nothing where nothing is written', async () => {
      for (const body of ['{"n":2}', '{']) {
        assert.deepEqual((await read(body, 'application/json')).json().params, { id: '7', n: 1 });
      }
    });
  });

  it('answers a wrong method with 404, as GitLab does', async () => {
    const reply = await server.inject({ method: 'PATCH', url: '/api/v4/things', headers: token });
    assert.equal(reply.statusCode, 404);
  });

  it('tells OPTIONS which methods there are, without a token', async () => {
    const reply = await server.inject({ method: 'OPTIONS', url: '/api/v4/things/7' });
    assert.equal(reply.statusCode, 204);
    assert.equal(reply.headers['allow'], 'OPTIONS, GET, POST, PUT, DELETE, HEAD');
    assert.equal((await server.inject({ method: 'OPTIONS', url: '/api/v4/none' })).statusCode, 404);
  });

  it('takes a trailing slash, encoded slashes and long segments', async () => {
    assert.equal((await get('/api/v4/things/7/')).statusCode, 200);
    assert.equal((await get('/api/v4/things/a%2Fb%2fc%2E')).json().params.id, 'a/b/c.');
    const long = 'x'.repeat(4000);
    assert.equal((await get(`/api/v4/things/${long}`)).json().params.id, long);
  });

  it('answers HEAD like GET without the body', async () => {
    const reply = await server.inject({ method: 'HEAD', url: '/api/v4/things', headers: token });
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.payload, '');
    assert.equal(reply.headers['x-total'], '205');
    assert.equal(reply.headers['content-type'], 'application/json');
  });

  it('pages with every header, the links keeping the other parameters', async () => {
    const { headers } = await get('/api/v4/things?page=2&labels[]=a%20b&private_token=t&unknown=x');
    assert.equal(headers['x-page'], '2');
    assert.equal(headers['x-next-page'], '3');
    assert.equal(headers['x-prev-page'], '1');
    assert.equal(headers['x-total-pages'], '11');
    const link = (page: number, rel: string) =>
      `<http://forge.test/api/v4/things?labels%5B%5D=a+b&page=${page}&per_page=20&state=all&unknown=x>; rel="${rel}"`;
    assert.equal(
      headers['link'],
      [link(1, 'prev'), link(3, 'next'), link(1, 'first'), link(11, 'last')].join(', '),
    );
  });

  for (const [query, status, expected] of [
    ['page=0', 200, { page: '1', per: '20' }],
    ['page=-3', 200, { page: '1', per: '20' }],
    ['page=', 200, { page: '1', per: '20' }],
    ['per_page=-5', 200, { page: '1', per: '20' }],
    ['per_page=1000', 200, { page: '1', per: '100' }],
    ['page=99999999999', 200, { page: '99999999999', per: '20' }],
    ['page=abc', 400, 'page is invalid'],
    ['page=1.5', 400, 'page is invalid'],
    ['page[]=1', 400, 'page is invalid'],
    ['page=abc&per_page=x', 400, 'page is invalid, per_page is invalid'],
    ['per_page=0', 400, 'per_page has a value not allowed'],
  ] as const) {
    it(`pages ?${query}`, async () => {
      const reply = await get(`/api/v4/things?${query}`);
      assert.equal(reply.statusCode, status);
      if (typeof expected === 'string') assert.equal(reply.json().error, expected);
      else {
        assert.equal(reply.headers['x-page'], expected.page);
        assert.equal(reply.headers['x-per-page'], expected.per);
      }
    });
  }

  it('answers beyond the end with an empty list and no neighbours', async () => {
    const reply = await get('/api/v4/things?page=12');
    assert.deepEqual(reply.json(), []);
    assert.equal(reply.headers['x-next-page'], '');
    assert.equal(reply.headers['x-prev-page'], '');
    assert.doesNotMatch(String(reply.headers['link']), /prev|next/);
  });

  it('answers 304 to the ETag it gave', async () => {
    const { headers } = await get('/api/v4/things/7');
    assert.match(String(headers['etag']), /^W\/"[0-9a-f]{32}"$/);
    const again = await get('/api/v4/things/7', { ...token, 'if-none-match': String(headers['etag']) });
    assert.equal(again.statusCode, 304);
    assert.equal(again.payload, '');
  });

  it('keeps a failure of ours to itself', async () => {
    const reply = await get('/api/v4/broken');
    assert.equal(reply.statusCode, 500);
    assert.equal(reply.payload, '{"message":"500 Internal Server Error"}');
    assert.ok(lines.some((line) => line.includes('secret detail')));
  });

  it('refuses in its words also long after the body was read', async () => {
    const headers = { ...token, 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${port}/api/v4/slow`;
    const reply = await fetch(url, { method: 'POST', headers, body: '{}' });
    assert.deepEqual([reply.status, await reply.text()], [400, '{"message":"no"}']);
  });

  it('lets no file name break out of its header', async () => {
    const reply = await get('/api/v4/file');
    assert.equal(
      reply.headers['content-disposition'],
      `attachment; filename="a_b___.zip"; filename*=UTF-8''a%22b%0D%0A%D1%8F.zip`,
    );
  });

  it('writes one line a request, without secrets', async () => {
    lines.length = 0;
    await get('/api/v4/things/7?private_token=hunter2&text=private', { authorization: 'Bearer hunter2' });
    assert.equal(lines.length, 1);
    const line = JSON.parse(lines[0] ?? '');
    assert.deepEqual(
      [line.user, line.method, line.route, line.status],
      ['ada', 'GET', '/api/v4/things/:id', 200],
    );
    assert.match(line.id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.doesNotMatch(lines[0] ?? '', /hunter2|private"/);
  });

  it('counts requests by route and serves health without a token', async () => {
    assert.equal((await get('/-/liveness', {})).statusCode, 200);
    assert.equal((await get('/-/readiness', {})).statusCode, 200);
    const metrics = await get('/-/metrics', {});
    assert.match(
      metrics.payload,
      /ingot_http_requests_total\{method="GET",route="\/api\/v4\/things",status="200"\}/,
    );
  });

  it('lets browsers read the headers of pages', async () => {
    const reply = await get('/api/v4/things', { ...token, origin: 'http://app.test' });
    assert.equal(reply.headers['access-control-allow-origin'], '*');
    assert.match(String(reply.headers['access-control-expose-headers']), /X-Total-Pages/);
  });

  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it('answers headers without end with 431', async () => {
    const answer = await raw(`GET /api/v4/things HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1.1 431 /);
    assert.match(answer, /\{"message":"431 Request Header Fields Too Large"\}$/);
  });

  it('answers what is no HTTP with 400', async () => {
    const answer = await raw('HELLO\r\n\r\n');
    assert.match(answer, /^HTTP\/1.1 400 /);
    assert.match(answer, /\{"message":"400 Bad request - malformed HTTP"\}$/);
  });

  it('serves the OpenAPI document of its routes', async () => {
    const document = (await get('/api/v4/openapi.json')).json();
    assert.equal(document.openapi, '3.1.0');
    const { parameters } = document.paths['/api/v4/things'].get;
    const state = parameters.find(({ name }: { name: string }) => name === 'state');
    assert.deepEqual([state.schema.default, state.required], ['all', undefined]);
    assert.deepEqual(Object.keys(document.paths['/api/v4/things/{id}']).sort(), [
      'delete',
      'get',
      'post',
      'put',
    ]);
  });
});
