import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { startService, type TestService } from '../../../test/support/service.ts';

for (const kind of dialects) {
  describe(`topics on ${kind}`, () => {
    let service: TestService;
    const ids: Record<string, number> = {};
    before(async () => {
      service = await startService({ kind });
      for (const [name, topics] of [
        ['one', 'go,ruby'],
        ['two', 'Ruby'],
        ['three', 'ruby,zig'],
      ] as const) {
        const made = await service.api('POST', '/projects', { body: { name, topics } });
        assert.equal(made.status, 201, made.text);
        ids[name] = made.body.id;
      }
    });
    after(() => service.close());

    const listed = async (query: Record<string, unknown> = {}) => {
      const reply = await service.api('GET', '/topics', { query });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers['x-total'], String(reply.body.length));
      return reply.body
        .map(
          (topic: { name: string; total_projects_count: number }) =>
            `${topic.name} ${topic.total_projects_count}`,
        )
        .join(', ');
    };

    it('are those of the projects, the most used first, whatever their case', async () => {
      assert.equal(await listed(), 'ruby 3, go 1, zig 1');
      assert.equal(await listed({ search: 'RUB' }), 'ruby 3');
    });

    it('are read one by one under an id that stays', async () => {
      const [topic] = (await service.api('GET', '/topics', { query: { search: 'zig' } })).body;
      assert.deepEqual((await service.api('GET', `/topics/${topic.id}`)).body, topic);
      assert.equal((await service.api('GET', '/topics/999999')).status, 404);
    });

    it('go with the last project that has them', async () => {
      await service.api('PUT', `/projects/${ids['one']}`, { body: { topics: 'ruby' } });
      assert.equal(await listed(), 'ruby 3, zig 1');
      await service.api('PUT', `/projects/${ids['one']}`, {
        body: { description: 'says nothing of topics' },
      });
      assert.equal(await listed(), 'ruby 3, zig 1');
      await service.api('DELETE', `/projects/${ids['three']}`);
      assert.equal(await listed(), 'ruby 2');
    });
  });
}
