import { statSync } from 'node:fs';

/** Which version of a file or folder was read. */
export interface FileStamp {
  /** Changes whenever the file does; empty when there is no file. */
  text: string;
  /** It changed so shortly before that a second change could leave the stamp as it is. A value read then must be read again. */
  racy: boolean;
}

// Linux stamps files from a clock that ticks every 1 to 10 ms, other systems more coarsely.
const RACY_MS = 50;

/**
 * Taken before the file is read, so that a change in between shows at the next look. Synchronous on purpose: the answer is in
 * the kernel's memory within 3 us, while a way through the thread pool costs 50 to 100.
 */
export function fileStamp(path: string): FileStamp {
  // The machine's time, as the file system has it; a clock that a test holds still would make every file look old.
  const now = Date.now();
  try {
    const { mtimeNs, ctimeNs, ino, size } = statSync(path, { bigint: true });
    return {
      text: `${mtimeNs}:${ctimeNs}:${ino}:${size}`,
      racy: Number(mtimeNs / 1_000_000n) > now - RACY_MS,
    };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { text: '', racy: false };
    throw error;
  }
}
