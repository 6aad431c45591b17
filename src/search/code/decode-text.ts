import { isUtf8 } from 'node:buffer';

const windows1252 = new TextDecoder('windows-1252');

/**
 * Text of bytes from git. What is UTF-8 stays; in anything else each line is taken for itself, so that one stray byte
 * garbles one line and not a file: a line that is not UTF-8 is read as windows-1252, which gives every byte a character.
 */
export function decodeText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    text += decodeLine(bytes.subarray(start, end));
    start = end;
  }
  return text;
}

function decodeLine(line: Buffer): string {
  return isUtf8(line) ? line.toString() : windows1252.decode(line);
}
