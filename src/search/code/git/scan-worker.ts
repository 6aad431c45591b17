import { Lanes } from '../../../git/lanes.ts';
import type { CodeHit } from '../code-index.ts';
import { InvalidPattern } from '../code-index.ts';
import { serveCalls } from '../local/worker-loop.ts';
import { type Scan, scan } from './scan.ts';

/** The thread that searches repositories. Errors lose their class on the way out, so the one that callers know is an answer. */
export type ScanResult = { kind: 'hits'; hits: CodeHit[] } | { kind: 'invalid-pattern'; message: string };

const lanes = new Lanes();

serveCalls<Scan, ScanResult, never>({
  async handle(call, { signal }) {
    try {
      return { kind: 'hits', hits: await scan({ ...call, lanes }, signal) };
    } catch (error) {
      if (error instanceof InvalidPattern) return { kind: 'invalid-pattern', message: error.message };
      throw error;
    }
  },
  close() {
    lanes.close();
  },
});
