import { stripVTControlCharacters } from 'node:util';
import { type Static, Type } from '../../platform/http/schema.ts';
import { linesOf } from './lines.ts';
import type { OpenLog } from './traces.ts';

export const LogMatch = Type.Object(
  { line: Type.Integer(), offset: Type.Integer(), text: Type.String() },
  { $id: 'LogMatch' },
);

/** What is shown of a long line. */
const MAX_SHOWN = 1000;

export interface LogSearch {
  text: string;
  /** Matches that are passed over. */
  offset: number;
  limit: number;
}

/**
 * The lines of a log that hold the text, in any case, without the sequences that colour a terminal. `more`: there are others behind.
 * The whole log is read from its beginning, as far as the page goes.
 */
export async function searchLog(
  log: OpenLog,
  { text, offset, limit }: LogSearch,
): Promise<{ matches: Static<typeof LogMatch>[]; more: boolean }> {
  const wanted = text.toLowerCase();
  const matches: Static<typeof LogMatch>[] = [];
  let seen = 0;
  for await (const lines of linesOf(await log.read())) {
    for (const line of lines) {
      const plain = stripVTControlCharacters(line.text);
      if (!plain.toLowerCase().includes(wanted)) continue;
      if (seen++ < offset) continue;
      if (matches.length === limit) return { matches, more: true };
      matches.push({
        line: line.number,
        offset: line.offset,
        text: plain.replace(/\r$/, '').slice(0, MAX_SHOWN).toWellFormed(),
      });
    }
  }
  return { matches, more: false };
}
