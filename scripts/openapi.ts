import { writeFile } from 'node:fs/promises';
import { openApiOfService } from '../test/support/openapi.ts';

/** Writes docs/openapi.json from the routes as they stand. */
await writeFile(new URL('../docs/openapi.json', import.meta.url), await openApiOfService());
