/** First line, whole; GitLab's words when there is no message. */
export function commitTitle(message: string): string {
  return message.split(/[\r\n]/, 1)[0] || 'No commit message';
}

// What git itself writes into messages: one of these makes a block with other lines a trailer block.
const GIT_WRITTEN = ['Signed-off-by: ', '(cherry picked from commit '];

const TRAILER = /^([A-Za-z0-9-]+)[ \t]*:(.*)$/s;

/**
 * Trailers by key, in the order found, values of a repeated key collected: what git's `%(trailers:only,unfold)` finds.
 * They are the last block of lines that is not the title, when all of it are trailers, or a quarter is and git wrote one.
 */
export function commitTrailers(message: string): Map<string, string[]> {
  const trailers = new Map<string, string[]>();
  for (const line of unfold(trailerBlock(message))) {
    const match = TRAILER.exec(line);
    if (!match) continue;
    const values = trailers.get(match[1]!) ?? [];
    values.push(match[2]!.trim());
    trailers.set(match[1]!, values);
  }
  return trailers;
}

function trailerBlock(message: string): string[] {
  const lines = message.split('\n').map((line) => line.trimEnd());
  while (lines.length > 0 && (lines.at(-1) === '' || lines.at(-1)!.startsWith('#'))) lines.pop();
  const start = lines.lastIndexOf('') + 1;
  // a message of one block is all title
  const title = lines.findIndex((line) => line !== '' && !line.startsWith('#'));
  const block = lines.slice(start);
  return start > title + 1 && title >= 0 && isTrailerBlock(block) ? block : [];
}

function isTrailerBlock(block: string[]): boolean {
  let trailers = 0;
  let others = 0;
  let gitWrote = false;
  let continued = false; // whether an indented line would belong to a trailer
  for (const line of block) {
    if (line.startsWith('#')) continue;
    if (/^\s/.test(line)) {
      if (!continued) others++;
      continue;
    }
    const written = GIT_WRITTEN.some((prefix) => line.startsWith(prefix));
    continued = written || TRAILER.test(line);
    gitWrote ||= written;
    if (continued) trailers++;
    else others++;
  }
  return trailers > 0 && (others === 0 || (gitWrote && trailers * 3 >= others));
}

function unfold(block: string[]): string[] {
  const lines: string[] = [];
  for (const line of block) {
    if (line.startsWith('#')) continue;
    if (/^\s/.test(line) && lines.length > 0) lines.push(`${lines.pop()} ${line.trim()}`);
    else lines.push(line);
  }
  return lines;
}
