import { setImmediate as afterOthers } from 'node:timers/promises';

// Far below the 10 ms that one request may keep the others waiting.
const TURN_MS = 4;

/** For long loops: call it in each round, and it lets others run whenever this turn has lasted long enough. */
export function pauses(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return afterOthers().then(() => {
      since = performance.now();
    });
  };
}
