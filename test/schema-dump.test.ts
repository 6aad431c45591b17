import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { dialects } from './support/databases.ts';
import { freshSchema, schemaFile } from './support/schema-files.ts';

describe('the committed schema', () => {
  for (const kind of dialects) {
    it(`is that of a fresh ${kind} database`, async () => {
      const committed = await readFile(schemaFile(kind), 'utf8');
      assert.equal(
        await freshSchema(kind),
        committed,
        `docs/schema/${kind}.sql is not what the migrations give: run "npm run schema" and commit the result`,
      );
    });
  }
});
