import { after, before, describe, it } from 'node:test';
import type { CodeIndex } from '../code-index.ts';
import { contentsContract } from './contents.ts';
import { type Holds, IndexUnderTest } from './kit.ts';
import { namesContract } from './names.ts';
import { updatesContract } from './updates.ts';

export interface CodeIndexContract {
  name: string;
  /** A fresh, empty index and how to remove it. */
  make(): Promise<{ index: CodeIndex; remove(): Promise<void> }>;
  /** Tests that an adapter cannot pass, each with the reason why. */
  skip?: readonly { test: string; reason: string }[];
}

/** What every adapter of `CodeIndex` must do, on real repositories. A new adapter's test is a call of this. */
export function runCodeIndexContract({ name, make, skip }: CodeIndexContract): void {
  describe(`code index: ${name}`, () => {
    const on = new IndexUnderTest();
    before(() => on.open(make));
    after(() => on.close());

    const holds: Holds = (title, test) => {
      const skipped = skip?.find((entry) => entry.test === title);
      it(title, { skip: skipped?.reason ?? false }, test);
    };
    contentsContract(holds, on);
    namesContract(holds, on);
    updatesContract(holds, on);
  });
}
