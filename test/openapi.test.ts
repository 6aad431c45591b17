import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiOfService } from './support/openapi.ts';

describe('the OpenAPI document', () => {
  it('is committed as the routes stand (npm run openapi)', async () => {
    const committed = await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8');
    assert.ok(
      committed === (await openApiOfService()),
      'docs/openapi.json is not what the routes say: npm run openapi',
    );
  });

  it('is valid OpenAPI 3.1 by a public validator', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(await openApiOfService()));
    assert.equal(validator.version, '3.1');
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
  });

  it('names every operation once and declares every parameter of its path', async () => {
    const document = JSON.parse(await openApiOfService());
    const ids: string[] = [];
    for (const [path, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
      for (const operation of Object.values(operations)) {
        ids.push(operation.operationId);
        const declared = (operation.parameters ?? []).filter((each) => each.in === 'path');
        const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
        assert.deepEqual(declared.map((each) => each.name).sort(), inPath.sort(), path);
      }
    }
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  });
});

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
}
