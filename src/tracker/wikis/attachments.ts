import { randomBytes } from 'node:crypto';
import type { Core } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import type { UploadedFile } from '../../platform/http/params.ts';
import { commitToWiki, type WikiWriter } from './commit.ts';

export interface Attachment {
  fileName: string;
  filePath: string;
  branch: string;
}

const MAX_NAME_LENGTH = 255;
const PICTURE = /\.(?:png|jpe?g|gif|bmp|tiff|ico|webp|svg)$/i;

/** Puts a file beside the pages, in a folder that nobody guesses. Throws 400 for a name or a branch that is none. */
export async function attachFile(
  core: Core,
  writer: WikiWriter,
  { file, branch }: { file: UploadedFile; branch?: string | null | undefined },
): Promise<Attachment> {
  const fileName = safeName(file.filename);
  const filePath = `uploads/${randomBytes(16).toString('hex')}/${fileName}`;
  const commit = await commitToWiki(
    core,
    writer,
    async () => ({
      message: `Upload attachment ${fileName}`,
      actions: [{ action: 'create', path: filePath, content: file.bytes }],
    }),
    branch,
  );
  return { fileName, filePath, branch: commit.branch };
}

/** The name alone, without folders of the sender's disk and with nothing that Markdown or an address reads otherwise. */
function safeName(name: string): string {
  const base = name.replace(/^.*[\\/]/s, '').replace(/[^\p{L}\p{N}_.+-]/gu, '_');
  if (/^\.*$/.test(base)) throw fail.refused('The file name is not valid');
  return cut(base);
}

/** Keeps the ending: it says what the file is. */
function cut(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_LENGTH) return name;
  const ending = /\.[^.]{1,20}$/.exec(name)?.[0] ?? '';
  const letters = [...name.slice(0, name.length - ending.length)];
  while (Buffer.byteLength(letters.join('') + ending) > MAX_NAME_LENGTH) letters.pop();
  return letters.join('') + ending;
}

/** How a page shows the attachment: pictures as such, anything else as a link. */
export function markdownFor({ fileName, filePath }: Attachment): string {
  const isPicture = PICTURE.test(fileName);
  const label = isPicture ? fileName.replace(/\.[^.]*$/, '') : fileName;
  return `${isPicture ? '!' : ''}[${label}](${filePath})`;
}
