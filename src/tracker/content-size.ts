import { fail } from '../platform/errors.ts';

/** Throws 400 in GitLab's words for a text of more bytes than that. */
export function refuseLongContent(content: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(content);
  if (bytes <= maxBytes) return;
  const text = `is too long (${mebibytes(bytes)}). The maximum size is ${mebibytes(maxBytes)}.`;
  throw fail.invalid({ content: [text] });
}

const mebibytes = (bytes: number): string => `${Number((bytes / 1024 / 1024).toFixed(2))} MiB`;
