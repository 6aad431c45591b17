import { readFile } from 'node:fs/promises';
import openWabt from 'wabt';

const SOURCE = new URL('../../src/search/code/segment/kernel/kernel.wat', import.meta.url);

/** The bytes of kernel.wasm, from its source. */
export async function compileKernel(): Promise<Buffer> {
  const wabt = await openWabt();
  const module = wabt.parseWat('kernel.wat', await readFile(SOURCE, 'utf8'), {
    simd: true,
    bulk_memory: true,
  });
  module.validate();
  const { buffer } = module.toBinary({});
  module.destroy();
  return Buffer.from(buffer);
}
