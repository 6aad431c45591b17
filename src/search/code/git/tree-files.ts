import { decodeText } from '../decode-text.ts';
import { type GitSource, gitOutput } from '../local/git-reader.ts';

/** A regular file of a tree. */
export interface TreeFile {
  /** One character for each byte, as git has it. */
  rawPath: string;
  path: string;
  oid: string;
}

/** The regular files of a commit's tree in git's order, which is that of the bytes of their paths. */
export async function* treeFiles(
  source: GitSource,
  commit: string,
  signal: AbortSignal,
): AsyncGenerator<TreeFile> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', commit];
  for await (const line of splitAtNuls(gitOutput(source, args, '', signal))) {
    // `100644 blob <id>\t<path>`; symbolic links and submodules have other modes.
    const tab = line.indexOf('\t');
    const [mode = '', , oid = ''] = line.slice(0, tab).split(' ');
    if (!mode.startsWith('100')) continue;
    const rawPath = line.slice(tab + 1);
    yield { rawPath, path: decodeText(Buffer.from(rawPath, 'latin1')), oid };
  }
}

/** The parts between NULs, one character for each byte. */
export async function* splitAtNuls(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of output) {
    const parts = (rest + chunk.toString('latin1')).split('\0');
    rest = parts.pop()!;
    yield* parts;
  }
}
