import { isUtf8 } from 'node:buffer';
import { decodeText } from './decode-text.ts';

/** Of a file that is found by its name. */
export const HEAD_BYTES = 1024;

/**
 * Text of the first bytes of a file. A character that was cut in two by the limit is left out: it would make all of its
 * line look like another encoding.
 */
export function decodeHead(head: Buffer): string {
  for (let cut = 0; cut < 4 && head.length === HEAD_BYTES; cut++) {
    const whole = head.subarray(0, head.length - cut);
    if (isUtf8(whole)) return decodeText(whole);
  }
  return decodeText(head);
}
