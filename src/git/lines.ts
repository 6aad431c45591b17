import { GitOutputLimit } from './process.ts';

const NEWLINE = 0x0a;

/**
 * The lines of a byte stream, without their line feeds and undecoded: a carriage return or an odd encoding stays as it is.
 * Throws GitOutputLimit above maxBytes in all.
 */
export async function* splitLines(
  stream: AsyncIterable<Buffer>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new GitOutputLimit(`git answered over ${maxBytes} bytes`);
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.subarray(from, at);
      yield rest.length === 0 ? line : Buffer.concat([...rest, line]);
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
