import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedMember, seedPerson, seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';

for (const kind of dialects) {
  describe(`CI/CD variables on ${kind}`, () => {
    let service: TestService;
    let path: string;
    let projectId: number;
    const tokens = { maintainer: '', developer: '', stranger: '' };

    before(async () => {
      service = await startService({ kind });
      const project = await seedProject(service.core, 'variables');
      projectId = project.id;
      path = `/projects/${projectId}/variables`;
      for (const [name, level] of [
        ['maintainer', Level.maintainer],
        ['developer', Level.developer],
        ['stranger', null],
      ] as const) {
        const person = await seedPerson(service.core, name);
        tokens[name] = person.token;
        if (level !== null) await seedMember(service.core, project, person, level);
      }
    });
    after(() => service.close());

    const post = (body: object, token = tokens.maintainer) => service.api('POST', path, { token, body });

    it('are set, read, changed and deleted by maintainers', async () => {
      const made = await post({ key: 'NAME', value: 'one', description: 'who' });
      assert.equal(made.status, 201);
      assert.deepEqual(made.body, {
        variable_type: 'env_var',
        key: 'NAME',
        value: 'one',
        protected: false,
        masked: false,
        raw: false,
        description: 'who',
        hidden: false,
        environment_scope: '*',
      });
      const changed = await service.api('PUT', `${path}/NAME`, {
        body: { value: 'two', variable_type: 'file', protected: true, raw: true },
      });
      assert.equal(changed.status, 200);
      const read = await service.api('GET', `${path}/NAME`);
      assert.deepEqual(read.body, {
        ...made.body,
        value: 'two',
        variable_type: 'file',
        protected: true,
        raw: true,
      });
      assert.equal((await service.api('DELETE', `${path}/NAME`)).status, 204);
      const gone = await service.api('GET', `${path}/NAME`);
      assert.deepEqual([gone.status, gone.body], [404, { message: '404 Variable Not Found' }]);
    });

    it('are not for developers, and unknown to strangers', async () => {
      assert.equal((await service.api('GET', path, { token: tokens.developer })).status, 403);
      assert.equal((await post({ key: 'A', value: 'b' }, tokens.developer)).status, 403);
      assert.equal((await service.api('GET', path, { token: tokens.stranger })).status, 404);
      const all = await service.api('GET', '/admin/ci/variables', { token: tokens.maintainer });
      assert.equal(all.status, 403);
    });

    it('are told apart by their environments where one key has several', async () => {
      assert.equal((await post({ key: 'URL', value: 'a', environment_scope: 'production' })).status, 201);
      assert.equal((await post({ key: 'URL', value: 'b', environment_scope: 'review/*' })).status, 201);
      const twice = await post({ key: 'URL', value: 'c', environment_scope: 'production' });
      assert.deepEqual(
        [twice.status, twice.body],
        [400, { message: { key: ['(URL) has already been taken'] } }],
      );
      assert.equal((await service.api('GET', `${path}/URL`)).status, 409);
      const query = { filter: { environment_scope: 'review/*' } };
      assert.equal((await service.api('GET', `${path}/URL`, { query })).body.value, 'b');
      assert.equal((await service.api('DELETE', `${path}/URL`, { query })).status, 204);
      assert.equal((await service.api('GET', `${path}/URL`)).body.value, 'a');
    });

    it('that are hidden are never read again, and stay masked', async () => {
      const made = await post({ key: 'SECRET', value: 'sesame-open', masked_and_hidden: true });
      assert.deepEqual(
        [made.status, made.body.value, made.body.hidden, made.body.masked],
        [201, null, true, true],
      );
      const list = await service.api('GET', path);
      assert.ok(!list.text.includes('sesame'));
      const unmasked = await service.api('PUT', `${path}/SECRET`, { body: { masked: false } });
      assert.equal(unmasked.status, 400);
      assert.equal(
        (await service.api('PUT', `${path}/SECRET`, { body: { value: 'another-one' } })).status,
        200,
      );
    });

    it("with values that will not do are refused in GitLab's words", async () => {
      const refusals: [object, unknown][] = [
        [{ value: 'x' }, { error: 'key is missing' }],
        [{ key: 'A' }, { error: 'value is missing' }],
        [
          { key: 'A', value: 'x', variable_type: 'odd' },
          { error: 'variable_type does not have a valid value' },
        ],
        [{ key: 'A-B', value: 'x' }, { message: { key: ["can contain only letters, digits and '_'."] } }],
        [
          { key: 'K'.repeat(256), value: 'x' },
          { message: { key: ['is too long (maximum is 255 characters)'] } },
        ],
        [{ key: 'A', value: 'short', masked: true }, { message: { value: ['is invalid'] } }],
        [{ key: 'A', value: 'with blank', masked: true }, { message: { value: ['is invalid'] } }],
        [{ key: 'A', value: 'dollar$dollar', masked: true }, { message: { value: ['is invalid'] } }],
        [
          { key: 'A', value: 'x'.repeat(10_001) },
          { message: { value: ['The value of the provided variable exceeds the 10000 character limit'] } },
        ],
        [
          { key: 'A', value: 'x', description: 'd'.repeat(256) },
          { message: { description: ['is too long (maximum is 255 characters)'] } },
        ],
      ];
      for (const [body, expected] of refusals) {
        const { status, body: said } = await post(body);
        assert.deepEqual([status, said], [400, expected]);
      }
      const scope = await post({ key: 'A', value: 'x', environment_scope: '/odd' });
      assert.equal(scope.status, 400);
      assert.deepEqual(Object.keys(scope.body.message), ['environment_scope']);
      assert.equal((await post({ key: 'RAW', value: 'dollar$dollar', masked: true, raw: true })).status, 201);
    });

    it('of a group are for its owners, and page through lists', async () => {
      const group = await service.api('POST', '/groups', { body: { name: 'g', path: 'g' } });
      const at = `/groups/${group.body.id}/variables`;
      for (const key of ['C', 'A', 'B']) {
        assert.equal((await service.api('POST', at, { body: { key, value: 'v' } })).status, 201);
      }
      const page = await service.api('GET', at, { query: { per_page: 2 } });
      assert.deepEqual(
        [page.body.map((each: { key: string }) => each.key), page.headers['x-total']],
        [['A', 'B'], '3'],
      );
      assert.equal((await service.api('GET', at, { token: tokens.maintainer })).status, 404);
    });

    it('of the whole service have neither scope nor hiding', async () => {
      const at = '/admin/ci/variables';
      assert.deepEqual((await service.api('GET', at)).body, []);
      const made = await service.api('POST', at, { form: { key: 'ALL', value: 'v', protected: 'true' } });
      assert.deepEqual(
        [made.status, made.body.protected, 'environment_scope' in made.body],
        [201, true, false],
      );
      assert.equal((await service.api('POST', at, { body: { key: 'ALL', value: 'w' } })).status, 400);
      assert.equal((await service.api('PUT', `${at}/ALL`, { body: { value: 'w' } })).body.value, 'w');
      assert.equal((await service.api('GET', `${at}/ALL`)).body.value, 'w');
      assert.equal((await service.api('DELETE', `${at}/ALL`)).status, 204);
      assert.equal((await service.api('GET', `${at}/ALL`)).status, 404);
    });

    it('set at once under one key are one', async () => {
      const answers = await Promise.all(
        [1, 2, 3, 4].map((value) => post({ key: 'ONCE', value: `${value}` })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400, 400]);
    });
  });
}
