/** What the words of a merge request mean. */

const DRAFT = /^\s*(?:\[draft\]|\(draft\)|draft:|draft\s+-\s)\s*/i;

/** Whether a title says that the work is not ready: `Draft: …`, `[Draft] …`, `(Draft) …`. */
export const isDraftTitle = (title: string): boolean => DRAFT.test(title);

/** One line of a task list: `- [ ] text`, `1. [x] text`, also in a quote. */
const TASK = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+\S/;
/** A fenced block shows text as it is; what looks like a task there is none. */
const FENCE = /^[ \t>]*(```|~~~)/;

/** How many tasks a description lists, and how many are ticked. */
export function countTasks(description: string | null): { count: number; completed_count: number } {
  let count = 0;
  let completed = 0;
  let fence: string | null = null;
  for (const line of (description ?? '').split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (mark && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    const tick = fence === null ? TASK.exec(line)?.[1] : undefined;
    if (tick === undefined) continue;
    count++;
    if (tick !== ' ') completed++;
  }
  return { count, completed_count: completed };
}
