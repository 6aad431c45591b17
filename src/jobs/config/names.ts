import { Breath } from './breath.ts';

const IN_A_BREATH = 500;

/** The paths in what git prints with `-z`; a repository may have half a million of them. */
export async function namesIn(output: Buffer): Promise<string[]> {
  const names: string[] = [];
  const breath = new Breath();
  for (let from = 0, to = output.indexOf(0); to >= 0; from = to + 1, to = output.indexOf(0, from)) {
    names.push(output.toString('utf8', from, to));
    if (names.length % IN_A_BREATH === 0) await breath.take();
  }
  return names;
}
