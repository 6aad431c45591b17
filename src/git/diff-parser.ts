import type { Diff, DiffFile } from './diff.ts';
import { unquotePath } from './quoted-path.ts';

export interface DiffLimits {
  files: number;
  lines: number;
  bytes: number;
  /** A patch of this many bytes or more is left out: `tooLarge`. */
  patchBytes: number;
}

type Entry = Omit<DiffFile, 'diff' | 'tooLarge' | 'collapsed' | 'binary'>;

const LINE_FEED = 10;
const LETTER_D = 0x64;

/**
 * Reads `git diff-tree --raw -p` as it comes, keeping no more than the limits allow. The raw lines name the files; the
 * patches follow in the same order. (Not with -z: a file name with a line break in it could then pass for part of a patch.)
 */
export class DiffParser {
  readonly #limits: DiffLimits;
  readonly #entries: Entry[] = [];
  readonly #files: DiffFile[] = [];
  #held: Buffer[] = [];
  #section: Section | null = null;
  #lineStart = true;
  #lines = 0;
  #bytes = 0;
  #overflow = false;

  constructor(limits: DiffLimits) {
    this.#limits = limits;
  }

  /** False when a limit is reached and the rest need not be read. */
  push(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length && !this.#overflow; ) {
      const end = chunk.indexOf(LINE_FEED, at);
      const next = end < 0 ? chunk.length : end + 1;
      this.#fragment(chunk.subarray(at, next), end >= 0);
      at = next;
    }
    return !this.#overflow;
  }

  end(): Diff {
    this.#finishSection();
    return { files: this.#files, overflow: this.#overflow };
  }

  /** A line or, where a chunk ends, a part of one: lines of a patch may be far longer than what fits in memory. */
  #fragment(bytes: Buffer, ends: boolean): void {
    const begun = this.#held.length > 0;
    const inPatch = !begun && this.#section?.body && (!this.#lineStart || bytes[0] !== LETTER_D);
    this.#lineStart = ends;
    if (inPatch) {
      this.#section!.add(bytes, ends);
      return;
    }
    this.#held.push(bytes);
    if (!ends) return;
    const line = this.#held.length === 1 ? bytes : Buffer.concat(this.#held);
    this.#held = [];
    this.#header(line);
  }

  #header(line: Buffer): void {
    const start = line.toString('latin1', 0, 13);
    if (start.startsWith(':')) this.#rawLine(line.toString('utf8').trimEnd());
    else if (start.startsWith('diff --git ')) this.#beginSection();
    else if (start.startsWith('@@')) this.#section?.begin(line);
    else if (start.startsWith('Binary files ') && this.#section) this.#section.binary = true;
  }

  #rawLine(line: string): void {
    if (this.#entries.length > this.#limits.files) return; // one more than fits is enough to know that it overflows
    const [fields, first, second] = line.split('\t') as [string, string, string | undefined];
    const [aMode, bMode, , , status] = fields.slice(1).split(' ') as [string, string, string, string, string];
    const oldPath = unquotePath(first);
    const newPath = second === undefined ? oldPath : unquotePath(second);
    const entry: Entry = {
      oldPath,
      newPath,
      aMode: modeOf(aMode),
      bMode: modeOf(bMode),
      newFile: status === 'A',
      renamedFile: status.startsWith('R'),
      deletedFile: status === 'D',
    };
    // a change of type (file to symlink) has two patches: the old one goes, the new one comes
    if (status !== 'T') this.#entries.push(entry);
    else
      this.#entries.push(
        { ...entry, bMode: '0', deletedFile: true },
        { ...entry, aMode: '0', newFile: true },
      );
  }

  #beginSection(): void {
    this.#finishSection();
    if (this.#overflow) return;
    this.#section = new Section(this.#limits.patchBytes);
  }

  #finishSection(): void {
    const section = this.#section;
    const entry = this.#entries[this.#files.length];
    this.#section = null;
    if (!section || !entry || this.#overflow) return;
    const file = { ...entry, ...section.result(entry) };
    this.#lines += section.lines;
    this.#bytes += section.bytes;
    const { files, lines, bytes } = this.#limits;
    this.#overflow = this.#files.length >= files || this.#lines > lines || this.#bytes > bytes;
    if (!this.#overflow) this.#files.push(file);
  }
}

function modeOf(mode: string): string {
  return mode === '000000' ? '0' : mode;
}

/** The patch of one file, from its first `@@`. */
class Section {
  readonly #limit: number;
  #parts: Buffer[] = [];
  body = false;
  binary = false;
  tooLarge = false;
  lines = 0;
  /** Of what is kept; a patch that is too large counts up to where it became so. */
  bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  begin(line: Buffer): void {
    this.body = true;
    this.add(line, true);
  }

  add(bytes: Buffer, ends: boolean): void {
    if (this.tooLarge) return;
    this.#parts.push(bytes);
    this.bytes += bytes.length;
    if (ends) this.lines++;
    if (this.bytes < this.#limit) return;
    this.tooLarge = true;
    this.#parts = [];
  }

  result(entry: Entry): Pick<DiffFile, 'diff' | 'binary' | 'tooLarge' | 'collapsed'> {
    const patch = Buffer.concat(this.#parts);
    const flags = { tooLarge: this.tooLarge, collapsed: false };
    if (this.binary) {
      const from = entry.newFile ? '/dev/null' : `a/${entry.oldPath}`;
      const to = entry.deletedFile ? '/dev/null' : `b/${entry.newPath}`;
      return { ...flags, diff: `Binary files ${from} and ${to} differ\n`, binary: true };
    }
    // git looks for NUL in the first 8,000 bytes only
    if (patch.includes(0))
      return { ...flags, diff: `Binary files ${entry.oldPath} and ${entry.newPath} differ\n`, binary: true };
    return { ...flags, diff: patch.toString('utf8'), binary: false };
  }
}
