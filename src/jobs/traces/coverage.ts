import { buffer } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { linesFromTheEnd } from './lines.ts';
import type { OpenLog } from './traces.ts';

/** Lines are longer only where they are no report but data. */
const MAX_LINE = 4096;
const FIRST_NUMBER = /\d+(?:\.\d+)?/;

/**
 * What the log says of coverage: of its last line that fits the pattern, the first number in what was matched (in the pattern's group,
 * where it has one). Null where no line fits, and for a pattern that is none. Patterns are written by whoever may push, so they are
 * matched in linear time.
 */
export async function coverageIn(
  openLog: () => Promise<OpenLog | null>,
  pattern: string,
): Promise<number | null> {
  const first = await openLog();
  if (!first) return null;
  await first.close();
  const numberIn = await compile(pattern);
  if (!numberIn) return null;
  const read = async (slice: { start: number; end: number }) => {
    const log = await openLog();
    return log ? buffer(await log.read(slice)) : Buffer.alloc(0);
  };
  for await (const lines of linesFromTheEnd(first.size, read)) {
    for (const line of lines) {
      const value = numberIn(stripVTControlCharacters(line.slice(0, MAX_LINE)));
      if (value !== null) return value;
    }
  }
  return null;
}

async function compile(pattern: string): Promise<((line: string) => number | null) | null> {
  const { RE2JS } = await import('re2js');
  const compiled = attempt(() => RE2JS.compile(pattern));
  if (compiled === null) return null;
  return (line) => {
    const matcher = compiled.matcher(line);
    let found: number | null = null;
    while (matcher.find()) {
      const groups = Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1));
      const text = groups.findLast((group) => group !== null) ?? matcher.group() ?? '';
      found = percentIn(text) ?? found;
    }
    return found;
  };
}

function percentIn(text: string): number | null {
  const [digits] = FIRST_NUMBER.exec(text) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits);
  return value <= 100 ? value : null;
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null; // no pattern that can be matched in linear time: GitLab, too, goes without coverage then
  }
}
