/** `npm run schema`: writes the schema of a fresh database of each kind to docs/schema. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dialects } from '../test/support/databases.ts';
import { freshSchema, schemaFile } from '../test/support/schema-files.ts';

for (const kind of dialects) {
  const file = schemaFile(kind);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, await freshSchema(kind));
}
