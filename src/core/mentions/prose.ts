/** What somebody says in a text himself: without code, and without what he quotes. */

const INLINE = /``[^`]*(?:`[^`]+)*``|`[^`]*`/g;

/** Fenced blocks and text in backticks are left out. */
export function withoutCode(text: string): string {
  return plainLines(text).join('\n');
}

/** Quoted lines too. */
export function ownWords(text: string): string {
  return plainLines(text)
    .filter((line) => !/^ {0,3}>/.test(line))
    .join('\n');
}

function plainLines(text: string): string[] {
  let fence: string | null = null;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const mark = /^[ \t>]*(```|~~~)/.exec(line)?.[1];
    if (mark && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    else if (fence === null) lines.push(line.replace(INLINE, ' '));
  }
  return lines;
}
