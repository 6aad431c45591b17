import { writeFile } from 'node:fs/promises';
import { compileKernel } from '../test/support/kernel.ts';

/** Writes kernel.wasm from kernel.wat. */
await writeFile(
  new URL('../src/search/code/segment/kernel/kernel.wasm', import.meta.url),
  await compileKernel(),
);
