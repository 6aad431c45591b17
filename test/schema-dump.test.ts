import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { dialects } from './support/databases.ts';
import { freshSchema, schemaFile } from './support/schema-files.ts';

describe('the committed schema', () => {
  for (const kind of dialects) {
    it(`is that of a fresh ${kind} database`, async () => {
      const committed = (await readFile(schemaFile(kind), 'utf8')).split('\n');
      const fresh = (await freshSchema(kind)).split('\n');
      const line = fresh.findIndex((text, index) => text !== committed[index]);
      assert.ok(
        line < 0 && fresh.length === committed.length,
        `docs/schema/${kind}.sql is not what the migrations give, from line ${line + 1}: "${fresh[line]}". ` +
          'Run "npm run schema" and commit the result.',
      );
    });
  }
});
