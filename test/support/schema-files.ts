import type { Database } from '../../src/platform/db/database.ts';
import type { DialectName } from '../../src/platform/db/migrate.ts';
import { dumpSchema } from '../../src/platform/db/schema-dump.ts';
import { createTestDatabase } from './databases.ts';

/** Where the committed dump of a database's schema is. */
export function schemaFile(kind: DialectName): URL {
  return new URL(`../../docs/schema/${kind}.sql`, import.meta.url);
}

/** The dump of a database that was just made from all migrations. */
export async function freshSchema(kind: DialectName): Promise<string> {
  const test = await createTestDatabase(kind);
  try {
    const database: Database = await test.open();
    return `-- Written by "npm run schema" from the migrations; do not edit.\n\n${await dumpSchema(database)}`;
  } finally {
    await test.drop();
  }
}
