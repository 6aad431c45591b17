import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { compileKernel } from '../../../../../test/support/kernel.ts';

it('kernel.wasm is what kernel.wat says: `npm run kernel` writes it', async () => {
  const written = await readFile(new URL('kernel.wasm', import.meta.url));
  assert.equal(written.toString('hex'), (await compileKernel()).toString('hex'));
});
