import { readFileSync } from 'node:fs';

/**
 * The compiled loops of `kernel.wat` with their memory. WebAssembly compares 16 bytes at once, which nothing in JavaScript does, and is as
 * quick in the first search of a thread as in the thousandth.
 */
interface Loops {
  memory: Memory;
  scan(start: number, end: number, line: number, length: number, i: number, j: number, rows: number): number;
  keep(list: number, bytes: number, parameter: number, count: number, set: number, words: number): void;
  keepDense(list: number, set: number, words: number): void;
  count(set: number, words: number): number;
}

interface Memory {
  readonly buffer: ArrayBuffer;
  /** By so many pages of 64 kB. */
  grow(pages: number): number;
}

/** What is used of it: the types of Node leave it to those of browsers. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { exports: object };
};

/** What lies where in the memory: the text that is looked for, the masks of its bytes, rows of what was found, and what is gone through. */
export const NEEDLE = 0;
export const MASKS = 0x10000;
export const ROWS = 0x20000;
export const ROOM = 0x30000;
/** Bytes of each of the first three. */
export const AREA_BYTES = 0x10000;
/** The loops read up to so much beyond what they were given. */
const SLACK = 16;

export class Kernel {
  readonly loops: Loops;
  /** The memory. It is another one after `reserve`. */
  bytes: Uint8Array;
  rows: Uint32Array;

  constructor() {
    const code = readFileSync(new URL('kernel.wasm', import.meta.url));
    this.loops = new WebAssembly.Instance(new WebAssembly.Module(code)).exports as Loops;
    [this.bytes, this.rows] = viewsOf(this.loops.memory);
  }

  /** Has so many bytes at `ROOM`, and some behind them. */
  reserve(bytes: number): void {
    const missing = ROOM + bytes + SLACK - this.bytes.length;
    if (missing <= 0) return;
    this.loops.memory.grow(Math.ceil(missing / AREA_BYTES));
    [this.bytes, this.rows] = viewsOf(this.loops.memory);
  }
}

const viewsOf = ({ buffer }: Memory): [Uint8Array, Uint32Array] => [
  new Uint8Array(buffer),
  new Uint32Array(buffer, ROWS, AREA_BYTES / 4),
];

let opened: Kernel | undefined;

/** One for each thread: its calls end before others begin. */
export function kernel(): Kernel {
  opened ??= new Kernel();
  return opened;
}
